package org.sordino.table;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads another source once, on the first scan, and replays its rows from memory. */
final class CachedSource extends TableSource {

  private final TableSource source;
  private @Nullable RowStore rows;

  CachedSource(TableSource source) {
    super(source.name());
    this.source = source;
  }

  @Override
  public TableSource cached() {
    return this;
  }

  @Override
  public Optional<String> query() {
    return source.query();
  }

  @Override
  void scan(RowSink sink) {
    rows().replay(sink);
  }

  /** Returns the rows, and reads them first if necessary. After a failure the next scan retries. */
  private synchronized RowStore rows() {
    RowStore read = rows;
    if (read == null) {
      read = new RowStore();
      source.scan(read);
      rows = read;
    }
    return read;
  }
}
