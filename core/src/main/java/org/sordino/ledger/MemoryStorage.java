package org.sordino.ledger;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Path;

/** One file in memory, used for all names. */
final class MemoryStorage implements Storage, Storage.Appender {

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @Override
  public Appender create(Path file) {
    return this;
  }

  @Override
  public Appender open(Path file) {
    return this;
  }

  @Override
  public InputStream read(Path file) {
    return new ByteArrayInputStream(bytes.toByteArray());
  }

  @Override
  public void replace(Path source, Path target) {}

  @Override
  public void delete(Path file) {
    bytes.reset();
  }

  @Override
  public void forceFolder(Path folder) {}

  @Override
  public void append(byte[] more) {
    bytes.writeBytes(more);
  }

  @Override
  public void force() {}

  @Override
  public void truncate(long size) {
    throw new UnsupportedOperationException("a ledger in memory cannot be resumed");
  }

  @Override
  public void close() {}
}
