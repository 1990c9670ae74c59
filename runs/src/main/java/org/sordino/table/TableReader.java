package org.sordino.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Examples;

/** Reads a table with a schema. */
final class TableReader {

  private final Schema schema;

  private TableReader(Schema schema) {
    this.schema = schema;
  }

  static TableReader of(Schema schema) {
    return new TableReader(schema);
  }

  Examples labeled(TableSource source) {
    return owned(source, null).examples();
  }

  /** Reads labeled records with the user of each row, if a user column is given. */
  OwnedExamples owned(TableSource source, @Nullable String userColumn) {
    Label label = schema.requireLabel();
    Sink sink = new Sink(schema, label, userColumn);
    source.scan(sink);
    return sink.owned();
  }

  Examples unlabeled(TableSource source) {
    Sink sink = new Sink(schema, null);
    source.scan(sink);
    return sink.examples();
  }

  /** Encodes fields directly into the arrays that store the rows. */
  static final class Sink implements RowSink {

    private static final long MOST_NUMBERS = Integer.MAX_VALUE - 8;

    private final Schema schema;
    private final @Nullable Label label;
    private final @Nullable String userColumn;
    private final FloatList features;
    private final FloatList targets = new FloatList(1);
    private @Nullable FieldEncoder[] encoders = {}; // in the order of the table's columns
    private Column[] columns = {};
    private int[] starts = {};
    private final List<String> users = new ArrayList<>();
    private final Map<String, String> names = new HashMap<>();
    private Vocabulary missing = new Vocabulary();
    private int user = -1;
    private int target = -1;
    private FieldEncoder targetEncoder = (buffer, offset, length, row, at) -> true;
    private Place place = Place.inFile("");
    private long numbers;
    private float[] row = {};
    private int at;

    Sink(Schema schema, @Nullable Label label) {
      this(schema, label, null);
    }

    /**
     * Creates a sink that also stores the user of each row.
     *
     * @param userColumn column with the user ID, or null
     */
    Sink(Schema schema, @Nullable Label label, @Nullable String userColumn) {
      this.schema = schema;
      this.label = label;
      this.userColumn = userColumn;
      this.features = new FloatList(schema.width());
    }

    @Override
    public boolean columns(Place start) {
      place = start;
      List<String> header = start.columns();
      encoders = new FieldEncoder[header.size()];
      columns = new Column[header.size()];
      starts = new int[header.size()];
      missing = Vocabulary.of(schema.missing());
      int width = 0;
      for (Column column : schema.columns()) {
        int count = column.featureNames().size();
        if (count > 0) {
          int index = unusedIndex(column.name());
          encoders[index] = column.encoder(missing);
          columns[index] = column;
          starts[index] = width;
          width += count;
        }
      }
      if (label != null) {
        target = unusedIndex(label.column());
        targetEncoder = label.encoder();
      }
      if (userColumn != null) {
        user = index(userColumn);
      }
      nextRow();
      return true;
    }

    private int index(String name) {
      int index = place.index(name);
      if (index < 0) {
        List<String> names = place.columns();
        String fix = Excerpt.didYouMean(name, names, "correct the schema or the column names");
        throw place.inTable(
            "column "
                + Excerpt.of(name)
                + " must be in the "
                + place.container()
                + ", got columns "
                + Excerpt.list(names)
                + "; "
                + fix);
      }
      return index;
    }

    /** Returns the {@link #index} of a column that is not yet used under another name. */
    private int unusedIndex(String name) {
      int index = index(name);
      if (columns[index] != null) { // the two names differ in case only
        throw place.inTable(
            "column "
                + Excerpt.of(place.columns().get(index))
                + " must match one name in the schema, got "
                + Excerpt.list(List.of(columns[index].name(), name))
                + "; delete one of them");
      }
      return index;
    }

    private void nextRow() {
      row = features.chunk();
      at = features.at();
    }

    @Override
    public void field(int column, char[] buffer, int offset, int length) {
      FieldEncoder encoder = encoders[column];
      if (encoder != null && !encoder.encode(buffer, offset, length, row, at + starts[column])) {
        throw unfit(column, buffer, offset, length);
      }
      if (column == target
          && !targetEncoder.encode(buffer, offset, length, targets.chunk(), targets.at())) {
        throw unknownLabel(buffer, offset, length);
      }
      if (column == user) {
        addUser(buffer, offset, length);
      }
    }

    @Override
    public void value(int column, FieldText field) {
      FieldEncoder encoder = encoders[column];
      if (encoder == null && column != target && column != user) {
        return;
      }
      if (field.complaint() != null) {
        throw place.inColumn(column, field.complaint());
      }
      if (encoder != null && !encoder.encode(field, row, at + starts[column])) {
        field.render();
        throw unfit(column, field.buffer(), field.offset(), field.length());
      }
      if (column == target && !targetEncoder.encode(field, targets.chunk(), targets.at())) {
        field.render();
        throw unknownLabel(field.buffer(), field.offset(), field.length());
      }
      if (column == user) {
        field.render();
        addUser(field.buffer(), field.offset(), field.length());
      }
    }

    private TableException unfit(int column, char[] buffer, int offset, int length) {
      return place.inColumn(
          column,
          "must be "
              + columns[column].expected()
              + ", got "
              + place.got(buffer, offset, length)
              + "; correct the value, add it to \"missing\" in the schema, or declare the column as"
              + " a category");
    }

    /** Adds the user of a row. Rows without a user ID would all be attributed to one user. */
    private void addUser(char[] buffer, int offset, int length) {
      if (length == 0 || missing.find(buffer, offset, length) >= 0) {
        throw place.inColumn(
            user,
            "(the user ID) must not be missing, got "
                + place.got(buffer, offset, length)
                + "; fill in the user ID or delete the row");
      }
      String name = new String(buffer, offset, length);
      users.add(names.computeIfAbsent(name, same -> same));
    }

    private TableException unknownLabel(char[] buffer, int offset, int length) {
      return place.inColumn(
          target,
          "(the label) must be "
              + (label == null ? "" : label.expected())
              + ", got "
              + place.got(buffer, offset, length)
              + "; correct the value or declare it in the schema");
    }

    @Override
    public void endOfRow() {
      features.endOfRow();
      if (target < 0) {
        targets.chunk();
      }
      targets.endOfRow();
      numbers += schema.width();
      if (numbers > MOST_NUMBERS) {
        throw place.inRow(
            "rows times features must be at most 2,147,483,639, got more; use fewer rows, or set"
                + " the kind of some columns to \"ignored\"");
      }
      nextRow();
    }

    OwnedExamples owned() {
      return new OwnedExamples(examples(), users);
    }

    Examples examples() {
      return new Examples(features.toArray(), schema.width(), targets.toArray());
    }
  }
}
