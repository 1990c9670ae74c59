package org.sordino.spark;

import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import org.sordino.table.RowEncoder;
import org.sordino.table.Schema;

/** Encodes rows of strings with the same schema as files. */
final class TextRows implements FlatMapFunction<Iterator<Row>, Encoded> {

  private static final long serialVersionUID = 1;

  private final String schema;
  private final String source;
  private final String[] columns;
  private final @Nullable String userColumn;

  TextRows(Schema schema, String source, List<String> columns, @Nullable String userColumn) {
    this.schema = schema.toJson();
    this.source = source;
    this.columns = columns.toArray(new String[0]);
    this.userColumn = userColumn;
  }

  @Override
  public Iterator<Encoded> call(Iterator<Row> rows) {
    Schema declared = Schema.ofJson("schema", schema);
    return Encoded.of(
        declared.width(),
        () -> {
          RowEncoder encoder = RowEncoder.of(declared, source, List.of(columns), userColumn);
          @Nullable String[] fields = new String[columns.length];
          while (rows.hasNext()) {
            Row row = rows.next();
            for (int i = 0; i < fields.length; i++) {
              fields[i] = row.isNullAt(i) ? null : row.getString(i);
            }
            encoder.add(fields);
          }
          return encoder.examples();
        });
  }
}
