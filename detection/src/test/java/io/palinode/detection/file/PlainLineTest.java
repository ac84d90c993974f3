package io.palinode.detection.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.palinode.detection.file.LineFields.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares with the parser of JSON, which reads whatever is not plain. */
class PlainLineTest {
  private static final int SEEDS = 10_000;
  private static final String ODD = "\"\\{}[]:,. 0019-+eEnulltrue\t\u00e9\ud83d\ude00/x@";

  @Test
  void linesAsProgramsWriteThemArePlainAndMeanTheSame() {
    LineFields plain = new LineFields();
    LineFields json = new LineFields();
    for (int seed = 0; seed < SEEDS; seed++) {
      byte[] line = bytes(line(new Random(seed)));
      assertThat(plain.readPlain(line, 1, line.length - 1)).as("seed %d", seed).isTrue();
      json.readJson(line, 1, line.length - 1);
      assertThat(shown(plain)).as("seed %d", seed).isEqualTo(shown(json));
    }
  }

  /** What is plain in spite of the change means the same, and is not refused either. */
  @Test
  void changedLinesMeanTheSameOrAreLeftToTheParser() {
    LineFields plain = new LineFields();
    int still = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      byte[] line = bytes(changed(line(random), random));
      if (plain.readPlain(line, 1, line.length - 1)) {
        still++;
        LineFields json = new LineFields();
        json.readJson(line, 1, line.length - 1);
        assertThat(shown(plain))
            .as("seed %d: %s", seed, new String(line, StandardCharsets.UTF_8))
            .isEqualTo(shown(json));
      }
    }
    assertThat(still).isBetween(SEEDS / 20, SEEDS / 2);
  }

  /** Between bytes that are not of the line. */
  private static byte[] bytes(String line) {
    return ("7" + line + "7").getBytes(StandardCharsets.UTF_8);
  }

  private static String changed(String line, Random random) {
    StringBuilder changed = new StringBuilder(line);
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(changed.length());
      int from = random.nextInt(ODD.length());
      String odd = ODD.substring(from, from + random.nextInt(2));
      changed.replace(at, Math.min(changed.length(), at + random.nextInt(3)), odd);
      if (changed.length() == 0) {
        return line;
      }
    }
    return changed.toString();
  }

  private static String line(Random random) {
    List<Field> fields = new ArrayList<>(List.of(Field.values()));
    if (random.nextInt(4) == 0) {
      Collections.shuffle(fields, random);
    }
    String blank = " ".repeat(random.nextInt(3));
    StringBuilder line = new StringBuilder("{");
    for (Field field : fields) {
      if (random.nextInt(5) > 0) {
        line.append(line.length() > 1 ? "," : "").append(blank);
        line.append('"').append(field.word).append("\":").append(blank);
        line.append(value(field, blank, random)).append(blank);
      }
    }
    return line.length() == 1 ? line(random) : line.append('}').toString();
  }

  private static String value(Field field, String blank, Random random) {
    return switch (field) {
      case PREDICATE, BINDING, MEMBER, VERSION, ENDED_BY -> text(random);
      case CLAUSE, TERM, NODE, SEQ, ORIGIN -> Long.toString(digits(18, random));
      case START, END -> {
        List<String> entries = new ArrayList<>();
        for (int i = random.nextInt(6); i >= 0; i--) {
          String counter = random.nextBoolean() ? "" : "." + random.nextInt(4_096);
          entries.add("\"" + digits(15, random) + counter + "\"");
        }
        yield "[" + String.join("," + blank, entries) + "]";
      }
      case VALUES ->
          random.nextInt(4) == 0
              ? "{" + blank + "}"
              : "{\"a\":" + text(random) + "," + blank + "\"b\":" + blank + text(random) + "}";
    };
  }

  private static long digits(int most, Random random) {
    return (random.nextLong() >>> 1) % (long) Math.pow(10, 1 + random.nextInt(most));
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(random.nextInt(8) == 0 ? 100 : 6); i > 0; i--) {
      char c = (char) (' ' + random.nextInt('~' - ' '));
      text.append(c == '"' || c == '\\' ? '_' : c);
    }
    return '"' + text.toString() + '"';
  }

  private static String shown(LineFields fields) {
    List<String> shown = new ArrayList<>();
    for (Field field : Field.values()) {
      if (fields.has(field)) {
        shown.add(
            field.word
                + "="
                + switch (field) {
                  case PREDICATE, BINDING, MEMBER, VERSION, ENDED_BY -> fields.text(field);
                  case CLAUSE, TERM, NODE, SEQ, ORIGIN -> number(fields, field);
                  case START, END -> Arrays.toString(fields.clock(field));
                  case VALUES -> fields.values();
                });
      }
    }
    return shown.toString();
  }

  private static String number(LineFields fields, Field field) {
    try {
      return Long.toString(fields.number(field, Long.MAX_VALUE));
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
