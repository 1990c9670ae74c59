package org.sordino.table;

import java.util.List;

/**
 * A column that is not used as a feature.
 *
 * @param note the reason, for readers of the schema; may be empty
 */
public record IgnoredColumn(String name, String note) implements Column {

  public IgnoredColumn {
    Column.checkName(name);
  }

  @Override
  public List<String> featureNames() {
    return List.of();
  }

  @Override
  public FieldEncoder encoder(Vocabulary missing) {
    return (buffer, offset, length, row, at) -> true;
  }

  @Override
  public String expected() {
    return "anything";
  }
}
