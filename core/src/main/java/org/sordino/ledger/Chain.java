package org.sordino.ledger;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A position in a ledger: the number of lines so far and the checksum of the last of them. The
 * checksum of a line is the first 16 bytes of SHA-256(previous checksum || the line up to the
 * checksum field).
 */
final class Chain {

  static final int BYTES = 16;

  /** Text between the content of a line and its checksum. */
  static final String FIELD = ",\"chain\":\"";

  /** Number of bytes of the field at the end of a line: {@code ,"chain":"<32 digits>"}}. */
  static final int FIELD_LENGTH = FIELD.length() + 2 * BYTES + 2;

  private final MessageDigest sha256;
  private final long lines;
  private final byte[] value;

  private Chain(MessageDigest sha256, long lines, byte[] value) {
    this.sha256 = sha256;
    this.lines = lines;
    this.value = value;
  }

  /** Returns the position before the first line. */
  static Chain start() {
    try {
      return new Chain(MessageDigest.getInstance("SHA-256"), 0, new byte[BYTES]);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java runtime does not provide SHA-256", e);
    }
  }

  /** Returns the position after one more line. */
  Chain next(byte[] line, int contentLength) {
    sha256.update(value);
    sha256.update(line, 0, contentLength);
    return new Chain(sha256, lines + 1, Arrays.copyOf(sha256.digest(), BYTES));
  }

  /** Returns the checksum field at the end of the last line, without a line feed. */
  byte[] field() {
    return (FIELD + hex() + "\"}").getBytes(StandardCharsets.US_ASCII);
  }

  Head head() {
    return new Head(lines, hex());
  }

  long lines() {
    return lines;
  }

  private String hex() {
    return HexFormat.of().formatHex(value);
  }
}
