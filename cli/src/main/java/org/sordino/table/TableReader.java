package org.sordino.table;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sordino.training.Examples;

/** Reads a table by a schema. */
final class TableReader {

  private final Schema schema;

  private TableReader(Schema schema) {
    this.schema = schema;
  }

  static TableReader of(Schema schema) {
    return new TableReader(schema);
  }

  Examples labelled(CsvSource source, boolean severalClasses) {
    Label label = schema.requireLabel();
    Sink sink = new Sink(schema, label);
    CsvScanner.scan(source, sink);
    Examples examples = sink.examples();
    if (severalClasses && !label.isNumber()) {
      checkSeveral(source, label, examples.targets());
    }
    return examples;
  }

  Examples unlabelled(CsvSource source) {
    Sink sink = new Sink(schema, null);
    CsvScanner.scan(source, sink);
    return sink.examples();
  }

  private static void checkSeveral(CsvSource source, Label label, float[] targets) {
    for (float target : targets) {
      if (target != targets[0]) {
        return;
      }
    }
    throw new TableException(
        source.name()
            + ": label "
            + Excerpt.of(label.column())
            + " must have at least two classes, got only "
            + Excerpt.of(label.classes().get((int) targets[0]))
            + "; choose another label or more records");
  }

  /** Encodes fields in place, in the arrays that hold the rows. */
  private static final class Sink implements RowSink {

    private static final long MOST_NUMBERS = Integer.MAX_VALUE - 8;

    private final Schema schema;
    private final @Nullable Label label;
    private final FloatList features;
    private final FloatList targets = new FloatList(1);
    private @Nullable FieldEncoder[] encoders = {}; // by the column of the file
    private Column[] columns = {};
    private int[] starts = {};
    private int target = -1;
    private FieldEncoder targetEncoder = (buffer, offset, length, row, at) -> true;
    private Place place = new Place("");
    private long numbers;
    private float[] row = {};
    private int at;

    Sink(Schema schema, @Nullable Label label) {
      this.schema = schema;
      this.label = label;
      this.features = new FloatList(schema.width());
    }

    @Override
    public boolean columns(Place start) {
      place = start;
      List<String> names = start.columns();
      encoders = new FieldEncoder[names.size()];
      columns = new Column[names.size()];
      starts = new int[names.size()];
      Vocabulary missing = Vocabulary.of(schema.missing());
      int width = 0;
      for (Column column : schema.columns()) {
        int count = column.featureNames().size();
        if (count > 0) {
          int index = index(names, column.name());
          encoders[index] = column.encoder(missing);
          columns[index] = column;
          starts[index] = width;
          width += count;
        }
      }
      if (label != null) {
        target = index(names, label.column());
        targetEncoder = label.encoder();
      }
      nextRow();
      return true;
    }

    private int index(List<String> names, String name) {
      int index = names.indexOf(name);
      if (index < 0) {
        String fix = Excerpt.didYouMean(name, names, "correct the schema or the header");
        throw place.inFile(
            "column "
                + Excerpt.of(name)
                + " must be in the file, got "
                + Excerpt.list(names)
                + "; "
                + fix);
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
        throw place.inColumn(
            column,
            "must be "
                + columns[column].expected()
                + ", got "
                + Excerpt.of(buffer, offset, length)
                + "; correct it, list it under missing, or declare a category");
      }
      if (column == target
          && !targetEncoder.encode(buffer, offset, length, targets.chunk(), targets.at())) {
        throw place.inColumn(column, unknownLabel(buffer, offset, length));
      }
    }

    private String unknownLabel(char[] buffer, int offset, int length) {
      return "is the label and must be "
          + (label == null ? "" : label.expected())
          + ", got "
          + Excerpt.of(buffer, offset, length)
          + "; correct it or declare the value in the schema";
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
        throw place.inLine(
            "a table must have at most 2,147,483,639 encoded numbers, got more; read a part of it,"
                + " or ignore columns");
      }
      nextRow();
    }

    Examples examples() {
      return new Examples(features.toArray(), schema.width(), targets.toArray());
    }
  }
}
