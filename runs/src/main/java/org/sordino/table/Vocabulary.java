package org.sordino.table;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Numbered texts. Looks up the number of a text in a buffer without creating a string. */
final class Vocabulary {

  static final int ABSENT = -1;

  private final List<String> texts = new ArrayList<>();
  private int[] slots = new int[16]; // number of the text + 1; 0 is free

  static Vocabulary of(List<String> texts) {
    Vocabulary vocabulary = new Vocabulary();
    texts.forEach(text -> vocabulary.add(text.toCharArray(), 0, text.length()));
    return vocabulary;
  }

  List<String> texts() {
    return Collections.unmodifiableList(texts);
  }

  /** Returns the number of the text, starting from 0, or {@link #ABSENT}. */
  int find(char[] buffer, int offset, int length) {
    return slots[slot(buffer, offset, length)] - 1;
  }

  /** Returns the number of the text, and adds the text if it is new. */
  int add(char[] buffer, int offset, int length) {
    int slot = slot(buffer, offset, length);
    if (slots[slot] == 0) {
      texts.add(new String(buffer, offset, length));
      if (texts.size() * 2 > slots.length) {
        grow();
        return texts.size() - 1;
      }
      slots[slot] = texts.size();
    }
    return slots[slot] - 1;
  }

  private int slot(char[] buffer, int offset, int length) {
    int hash = length;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + buffer[i];
    }
    hash *= 0x9E3779B9; // the low bits of short texts differ little
    int mask = slots.length - 1;
    int slot = (hash ^ hash >>> 15) & mask;
    while (slots[slot] != 0 && !same(texts.get(slots[slot] - 1), buffer, offset, length)) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private static boolean same(String text, char[] buffer, int offset, int length) {
    if (text.length() != length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (text.charAt(i) != buffer[offset + i]) {
        return false;
      }
    }
    return true;
  }

  private void grow() {
    slots = new int[slots.length * 2];
    for (int i = 0; i < texts.size(); i++) {
      char[] text = texts.get(i).toCharArray();
      slots[slot(text, 0, text.length)] = i + 1;
    }
  }
}
