package io.palinode.detection.file;

import io.palinode.detection.file.LineFields.Field;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines as programs write them, in a fifth of the time of a parser of JSON: texts in ASCII
 * without escapes, whole numbers, no null, and no blanks but spaces. What it reads means the same
 * to that parser; it leaves all else to it, and so every refusal. For one thread.
 */
final class PlainLine {
  private static final int DIGITS_MAX = 18;
  private static final int TEXT_BYTES_MAX = 10_000;
  private static final int KNOWN = 1 << 10;
  private static final int KNOWN_BYTES_MAX = 64;
  private static final int ENTRIES = 4;

  private final LineFields fields;
  private byte[] bytes = {};
  private int at;
  private int end;
  private final List<Word> words = new ArrayList<>();
  private Word before;
  // Of the text that was read last.
  private int textFrom;
  private int textEnd;
  private long number;
  private long[] entries = new long[ENTRIES];
  // Texts that many lines have, each at a place that its bytes give it.
  private final String[] known = new String[KNOWN];

  PlainLine(LineFields fields) {
    this.fields = fields;
    for (Field field : Field.values()) {
      words.add(new Word(field));
    }
    this.before = words.get(0);
  }

  /** How a line names a field. */
  private static final class Word {
    private final Field field;
    private final byte[] quoted;
    // That followed this one last: lines mostly have one order.
    private Word next = this;

    Word(Field field) {
      this.field = field;
      this.quoted = ('"' + field.word + '"').getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** Reads the line in [from, lineEnd) into the fields; false if it is not plain. */
  boolean read(byte[] line, int from, int lineEnd) {
    bytes = line;
    at = from;
    end = lineEnd;
    if (!take('{')) {
      return false;
    }
    do {
      if (!field()) {
        return false;
      }
    } while (take(','));
    return take('}') && at == end;
  }

  /** Whether the byte follows, after spaces; then it is passed. */
  private boolean take(char expected) {
    while (at < end && bytes[at] == ' ') {
      at++;
    }
    boolean follows = at < end && bytes[at] == expected;
    at += follows ? 1 : 0;
    return follows;
  }

  private boolean field() {
    while (at < end && bytes[at] == ' ') {
      at++;
    }
    Word word = before.next;
    if (!take(word)) {
      word = takeOther();
      if (word == null) {
        return false;
      }
      before.next = word;
    }
    before = word;
    return take(':') && fields.give(word.field) && value(word.field);
  }

  private boolean take(Word word) {
    byte[] quoted = word.quoted;
    boolean follows =
        end - at >= quoted.length
            && Arrays.equals(bytes, at, at + quoted.length, quoted, 0, quoted.length);
    at += follows ? quoted.length : 0;
    return follows;
  }

  private @Nullable Word takeOther() {
    for (Word word : words) {
      if (take(word)) {
        return word;
      }
    }
    return null;
  }

  private boolean value(Field field) {
    return switch (field) {
      case PREDICATE, BINDING, MEMBER, VERSION, ENDED_BY -> {
        boolean follows = text();
        if (follows) {
          fields.set(field, knownText());
        }
        yield follows;
      }
      case CLAUSE, TERM, NODE, SEQ, ORIGIN -> {
        boolean follows = number();
        if (follows) {
          fields.set(field, number);
        }
        yield follows;
      }
      case START, END -> clock(field);
      case VALUES -> values();
    };
  }

  private boolean text() {
    if (!take('"')) {
      return false;
    }
    byte[] in = bytes;
    int i = at;
    textFrom = i;
    while (i < end && in[i] >= ' ' && in[i] != '"' && in[i] != '\\') {
      i++;
    }
    textEnd = i;
    at = i + 1;
    return textEnd < end && bytes[textEnd] == '"' && textEnd - textFrom <= TEXT_BYTES_MAX;
  }

  private String knownText() {
    int length = textEnd - textFrom;
    if (length > KNOWN_BYTES_MAX) {
      return newText();
    }
    int hash = length;
    for (int i = textFrom; i < textEnd; i++) {
      hash = 31 * hash + bytes[i];
    }
    int place = (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (KNOWN - 1);
    String text = known[place];
    if (text == null || text.length() != length || !isText(text)) {
      text = newText();
      known[place] = text;
    }
    return text;
  }

  private String newText() {
    return new String(bytes, textFrom, textEnd - textFrom, StandardCharsets.ISO_8859_1);
  }

  private boolean isText(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) != bytes[textFrom + i]) {
        return false;
      }
    }
    return true;
  }

  private boolean number() {
    while (at < end && bytes[at] == ' ') {
      at++;
    }
    int from = at;
    number = digits(DIGITS_MAX);
    return at > from && (bytes[from] != '0' || at == from + 1);
  }

  /** Of at most so many digits that follow. */
  private long digits(int most) {
    byte[] in = bytes;
    int i = at;
    long value = 0;
    for (int last = Math.min(end, i + most); i < last && isDigit(in[i]); i++) {
      value = 10 * value + in[i] - '0';
    }
    at = i;
    return value;
  }

  private static boolean isDigit(byte b) {
    return b >= '0' && b <= '9';
  }

  private boolean clock(Field field) {
    if (!take('[')) {
      return false;
    }
    int count = 0;
    do {
      if (count == Hvc.NODES_MAX || !timestamp()) {
        return false;
      }
      entries = count == entries.length ? Arrays.copyOf(entries, 2 * count) : entries;
      entries[count++] = number;
    } while (take(','));
    fields.set(field, entries, count);
    return take(']');
  }

  /** In quotes, as {@link Hlc#format} has it. */
  private boolean timestamp() {
    if (!take('"')) {
      return false;
    }
    int from = at;
    long micros = digits(LineFields.MICROS_DIGITS_MAX);
    boolean follows = at > from && micros <= Hlc.MICROS_MAX;
    long counter = 0;
    if (follows && at < end && bytes[at] == '.') {
      from = ++at;
      counter = digits(LineFields.COUNTER_DIGITS_MAX);
      follows = at > from && counter <= Hlc.COUNTER_MAX;
    }
    if (!follows || at == end || bytes[at] != '"') {
      return false;
    }
    at++;
    number = Hlc.of(micros, (int) counter);
    return true;
  }

  private boolean values() {
    if (!take('{')) {
      return false;
    }
    if (take('}')) {
      fields.setValues(Map.of());
      return true;
    }
    Map<String, String> values = new LinkedHashMap<>();
    do {
      if (!text()) {
        return false;
      }
      String key = knownText();
      if (!take(':') || !text() || values.put(key, knownText()) != null) {
        return false;
      }
    } while (take(','));
    fields.setValues(values);
    return take('}');
  }
}
