package io.palinode.detection.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.async.ByteArrayFeeder;
import io.palinode.hvc.Hlc;
import io.palinode.hvc.Hvc;
import io.palinode.predicate.text.Abridged;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of the line that was read last, as JSON has them. Every refusal is an {@link
 * IllegalArgumentException} with the field and what was wrong; no line is read after it. For one
 * thread.
 */
final class LineFields {
  /** What a line may have. */
  enum Field {
    PREDICATE("predicate"),
    BINDING("binding"),
    MEMBER("member"),
    CLAUSE("clause"),
    TERM("term"),
    NODE("node"),
    SEQ("seq"),
    START("start"),
    END("end"),
    VALUES("values"),
    VERSION("version"),
    ORIGIN("origin"),
    ENDED_BY("endedBy");

    private static final Map<String, Field> BY_WORD =
        Stream.of(values()).collect(Collectors.toMap(field -> field.word, field -> field));

    final String word;

    Field(String word) {
      this.word = word;
    }
  }

  // The keys of values are many, and each is needed once.
  private static final JsonFactory JSON =
      JsonFactory.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();
  private static final int ENTRIES = 4;
  private static final byte[] MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  static final int MICROS_DIGITS_MAX = 16;
  static final int COUNTER_DIGITS_MAX = 4;

  private final Map<Field, Slot> slots = new EnumMap<>(Field.class);
  private final List<Slot> all = new ArrayList<>();
  private Map<String, String> values = Map.of();
  private final PlainLine plain = new PlainLine(this);

  /** What the line has of a field. */
  private static final class Slot {
    private boolean given;
    // Not null.
    private boolean present;
    private long number;
    private String text = "";
    private long[] clock = {};
  }

  // One parser for all lines: to make one for each costs a tenth of the time.
  private final JsonParser json;
  private final ByteArrayFeeder line;

  LineFields() {
    for (Field field : Field.values()) {
      Slot slot = new Slot();
      slots.put(field, slot);
      all.add(slot);
    }
    try {
      json = JSON.createNonBlockingByteArrayParser();
      line = (ByteArrayFeeder) json.getNonBlockingInputFeeder();
    } catch (IOException e) {
      throw inMemory(e);
    }
  }

  /** Reads the line in [from, end), without blanks behind it. */
  void read(byte[] bytes, int from, int end) {
    if (!readPlain(bytes, from, end)) {
      readJson(bytes, from, end);
    }
  }

  /** As {@link #read}; false if the line is not plain: then it must be read as JSON. */
  boolean readPlain(byte[] bytes, int from, int end) {
    clear();
    return plain.read(bytes, from, end);
  }

  /** The parser would pass over one where it begins, which is not at each line. */
  private static void requireNoMark(byte[] bytes, int from, int end) {
    if (Arrays.equals(bytes, from, Math.min(end, from + MARK.length), MARK, 0, MARK.length)) {
      throw new IllegalArgumentException(
          "a line must begin with '{', not with a byte order mark (U+FEFF); save it without one");
    }
  }

  private void clear() {
    for (int i = 0; i < all.size(); i++) {
      all.get(i).given = false;
      all.get(i).present = false;
    }
    values = Map.of();
  }

  /** As {@link #read}, whatever JSON it is. */
  void readJson(byte[] bytes, int from, int end) {
    clear();
    requireNoMark(bytes, from, end);
    try {
      line.feedInput(bytes, from, end);
      read();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(
          "not JSON: " + e.getOriginalMessage().lines().findFirst().orElse(""), e);
    } catch (IOException e) {
      throw inMemory(e);
    }
  }

  private static UncheckedIOException inMemory(IOException e) {
    return new UncheckedIOException("bytes in memory cannot fail to be read", e);
  }

  private void read() throws IOException {
    if (next(json) != JsonToken.START_OBJECT) {
      throw new IllegalArgumentException("a line must be a JSON object");
    }
    while (next(json) != JsonToken.END_OBJECT) {
      String name = json.currentName();
      Field field = Field.BY_WORD.get(name);
      if (field == null) {
        throw new IllegalArgumentException(
            "unknown field '"
                + Abridged.of(name)
                + "', the nearest one is '"
                + nearest(Abridged.of(name))
                + "'");
      }
      if (!give(field)) {
        throw duplicate(name);
      }
      if (next(json) != JsonToken.VALUE_NULL) {
        setValue(field, json);
      }
    }
    if (!line.needMoreInput()) {
      throw new IllegalArgumentException("a line must be one JSON object, and no more");
    }
  }

  private static JsonToken next(JsonParser json) throws IOException {
    JsonToken token = json.nextToken();
    if (token == JsonToken.NOT_AVAILABLE) {
      throw new IllegalArgumentException("not JSON: the line ends early");
    }
    return token;
  }

  private static IllegalArgumentException duplicate(String name) {
    return new IllegalArgumentException("not JSON: Duplicate field '" + Abridged.of(name) + "'");
  }

  private void setValue(Field field, JsonParser json) throws IOException {
    switch (field) {
      case PREDICATE, BINDING, MEMBER, VERSION, ENDED_BY ->
          set(
              field,
              require(json.hasToken(JsonToken.VALUE_STRING), field, "a text", json).getText());
      case CLAUSE, TERM, NODE, SEQ, ORIGIN ->
          set(field, require(isWhole(json), field, "a whole number", json).getLongValue());
      case START, END ->
          setTimestamps(
              require(json.isExpectedStartArrayToken(), field, "an array of timestamps", json),
              field);
      case VALUES ->
          setValues(texts(require(json.isExpectedStartObjectToken(), field, "an object", json)));
    }
  }

  /** The line has the field, maybe without a value. False when it had it before. */
  boolean give(Field field) {
    Slot slot = slot(field);
    boolean isNew = !slot.given;
    slot.given = true;
    return isNew;
  }

  private Slot slot(Field field) {
    return Objects.requireNonNull(slots.get(field));
  }

  private Slot present(Field field) {
    Slot slot = slot(field);
    slot.present = true;
    return slot;
  }

  void set(Field field, String text) {
    present(field).text = text;
  }

  void set(Field field, long number) {
    present(field).number = number;
  }

  /** Copies the first {@code count} of {@code entries}. */
  void set(Field field, long[] entries, int count) {
    Slot slot = present(field);
    if (slot.clock.length == count) {
      System.arraycopy(entries, 0, slot.clock, 0, count);
    } else {
      slot.clock = Arrays.copyOf(entries, count);
    }
  }

  void setValues(Map<String, String> byKey) {
    present(Field.VALUES);
    values = byKey;
  }

  private static JsonParser require(boolean fits, Field field, String article, JsonParser json)
      throws IOException {
    if (!fits) {
      throw new IllegalArgumentException(
          "'" + field.word + "' must be " + article + ": " + field.word + "=" + shown(json));
    }
    return json;
  }

  private static boolean isWhole(JsonParser json) throws IOException {
    return json.hasToken(JsonToken.VALUE_NUMBER_INT)
        && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
  }

  private void setTimestamps(JsonParser json, Field field) throws IOException {
    long[] entries = new long[ENTRIES];
    int count = 0;
    for (JsonToken token = next(json); token != JsonToken.END_ARRAY; token = next(json)) {
      if (token != JsonToken.VALUE_STRING && token != JsonToken.VALUE_NUMBER_INT) {
        throw new IllegalArgumentException(
            "'"
                + field.word
                + "' must hold timestamps as texts, such as \"980.3\": "
                + shown(json));
      }
      if (count == Hvc.NODES_MAX) {
        throw new IllegalArgumentException(
            "'" + field.word + "' must have at most " + Hvc.NODES_MAX + " entries");
      }
      entries = count == entries.length ? Arrays.copyOf(entries, 2 * count) : entries;
      entries[count++] = timestamp(field, json);
    }
    set(field, entries, count);
  }

  /** Without a copy of the text where it is as {@link Hlc#format} has it. */
  private static long timestamp(Field field, JsonParser json) throws IOException {
    char[] text = json.getTextCharacters();
    int from = json.getTextOffset();
    int end = from + json.getTextLength();
    int at = from;
    long micros = 0;
    for (; at < end && at - from < MICROS_DIGITS_MAX && isDigit(text[at]); at++) {
      micros = 10 * micros + text[at] - '0';
    }
    if (at > from && micros <= Hlc.MICROS_MAX) {
      if (at == end) {
        return Hlc.ofMicros(micros);
      }
      int dot = at++;
      int counter = 0;
      for (; at < end && at - dot <= COUNTER_DIGITS_MAX && isDigit(text[at]); at++) {
        counter = 10 * counter + text[at] - '0';
      }
      if (text[dot] == '.' && at == end && at > dot + 1 && counter <= Hlc.COUNTER_MAX) {
        return Hlc.of(micros, counter);
      }
    }
    try {
      return Hlc.parse(shown(json));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + field.word + "': " + e.getMessage(), e);
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static Map<String, String> texts(JsonParser json) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>();
    while (next(json) != JsonToken.END_OBJECT) {
      String key = json.currentName();
      JsonToken token = next(json);
      if (token != JsonToken.VALUE_STRING && !token.isNumeric()) {
        throw new IllegalArgumentException(
            "'values' must hold texts: " + Abridged.of(key) + "=" + shown(json));
      }
      if (texts.put(key, json.getText()) != null) {
        throw duplicate(key);
      }
    }
    return texts;
  }

  boolean has(Field field) {
    return slot(field).present;
  }

  /** Null when absent. */
  @Nullable String text(Field field) {
    Slot slot = slot(field);
    return slot.present ? slot.text : null;
  }

  /** A whole number, required, in [0, max]. */
  long number(Field field, long max) {
    long value = required(field).number;
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(
          "'%1$s' must be in [0, %2$d]: %1$s=%3$d".formatted(field.word, max, value));
    }
    return value;
  }

  private Slot required(Field field) {
    Slot slot = slot(field);
    if (!slot.present) {
      throw new IllegalArgumentException("'" + field.word + "' is missing");
    }
    return slot;
  }

  /** Each value by its key; empty when absent. */
  Map<String, String> values() {
    return values;
  }

  /** How many entries the start has. */
  int nodes() {
    return clock(Field.START).length;
  }

  long[] clock(Field field) {
    return required(field).clock;
  }

  /** An array of timestamps, one for each of {@code nodes}; required. */
  Hvc hvc(Field field, int node, int nodes) {
    long[] entries = clock(field);
    if (entries.length != nodes) {
      throw new IllegalArgumentException(
          "'%s' must have %d entries as those before: entries=%d"
              .formatted(field.word, nodes, entries.length));
    }
    return Hvc.of(node, entries);
  }

  private static String shown(JsonParser json) throws IOException {
    return json.currentToken().isStructStart()
        ? json.isExpectedStartArrayToken() ? "[…]" : "{…}"
        : Abridged.of(json.getText());
  }

  private static String nearest(String name) {
    Field nearest = Field.PREDICATE;
    for (Field known : Field.values()) {
      if (distance(name, known.word) < distance(name, nearest.word)) {
        nearest = known;
      }
    }
    return nearest.word;
  }

  /** Insertions, deletions and substitutions between the two, letter case aside. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        char a = Character.toLowerCase(from.charAt(i - 1));
        int substituted = diagonal + (a == Character.toLowerCase(to.charAt(j - 1)) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
