package io.palinode.predicate.template;

import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Text with captures in braces, such as <code>cs_{a}_{b}_{a}</code>; a doubled brace is a literal
 * one. A capture may appear twice: all its appearances must then be equal. Between two captures
 * there must be a literal, or nothing would say where the first ends.
 *
 * <p>Equal by text. Thread-safe. Immutable except the counter {@link #gaveUp}.
 */
public final class Template {
  public static final int LENGTH_MAX = 512;

  /** A longer text matches no template with captures, because each event carries their values. */
  public static final int TEXT_MAX = 8_192;

  /**
   * A match that is not decided after so many steps, one a character that is passed or compared, is
   * given up. With captures that repeat the number of ways to try can grow with a power of the
   * text's length, and keys come from anyone.
   */
  public static final int STEPS_MAX = 200_000;

  private final String text;

  /** {@code literals.get(i)} stands before part i; the last one after the last part. */
  private final List<String> literals;

  /** The capture of each part, as an index into {@link #captures}. */
  private final int[] parts;

  private final List<String> captures;

  /** By capture: whether it appears more than once, so that its value matters further on. */
  private final boolean[] repeats;

  /** {@code lengthsMin[i]} is the least length of what follows the literal before part i. */
  private final int[] lengthsMin;

  private final LongAdder gaveUp = new LongAdder();

  private Template(String text, TemplateScanner scanned) {
    this.text = text;
    this.literals = List.copyOf(scanned.literals());
    this.captures = scanned.names().stream().distinct().toList();
    this.parts = scanned.names().stream().mapToInt(captures::indexOf).toArray();
    this.repeats = new boolean[captures.size()];
    this.lengthsMin = new int[parts.length + 1];
    boolean[] seen = new boolean[captures.size()];
    for (int capture : parts) {
      repeats[capture] |= seen[capture];
      seen[capture] = true;
    }
    for (int part = parts.length - 1; part >= 0; part--) {
      lengthsMin[part] = 1 + literals.get(part + 1).length() + lengthsMin[part + 1];
    }
  }

  /** Throws {@link IllegalArgumentException} that names the text and the place. */
  public static Template parse(String text) {
    return new Template(text, TemplateScanner.scan(text));
  }

  /**
   * The binding of the captures if all of {@code candidate} matches, else null. Each capture, in
   * order of appearance, takes the fewest characters (at least one) with which the whole text still
   * matches. Null too when that takes more than {@link #STEPS_MAX} steps, or the text is longer
   * than {@link #TEXT_MAX}, which is counted.
   *
   * <p>Allocates nothing where the text does not begin with {@link #prefix} or does not end with
   * the literal at the end.
   */
  public @Nullable Binding match(String candidate) {
    return match(candidate, Binding.NONE);
  }

  /**
   * As {@link #match(String)}, but a capture that {@code known} has a value for can take only that
   * value. The result holds this template's captures, and no others.
   */
  public @Nullable Binding match(String candidate, Binding known) {
    if (parts.length == 0) {
      return candidate.equals(prefix()) ? Binding.NONE : null;
    }
    String suffix = literals.get(parts.length);
    if (!candidate.startsWith(prefix())
        || candidate.length() < prefix().length() + lengthsMin[0]
        || !candidate.endsWith(suffix)) {
      return null;
    }
    if (candidate.length() > TEXT_MAX) {
      gaveUp.increment();
      return null;
    }
    Matching matching = new Matching(candidate, known);
    return matching.part(0, prefix().length()) == Outcome.MATCHED ? matching.binding() : null;
  }

  /**
   * The text with each capture's value in its place. Throws {@link IllegalArgumentException} when
   * {@code binding} lacks one. It need not {@link #match} back: a value that holds a separator may
   * be split otherwise.
   */
  public String fill(Binding binding) {
    StringBuilder filled = new StringBuilder(prefix());
    for (int part = 0; part < parts.length; part++) {
      String capture = captures.get(parts[part]);
      String value = binding.values().get(capture);
      if (value == null) {
        throw new IllegalArgumentException("a binding must hold '" + capture + "': " + binding);
      }
      filled.append(value).append(literals.get(part + 1));
    }
    return filled.toString();
  }

  /** The captures' names in order of first appearance. */
  public List<String> captures() {
    return captures;
  }

  /** The literal text before the first capture; the whole text when there is none. */
  public String prefix() {
    return literals.get(0);
  }

  /**
   * One more than there are appearances of captures: what stands before, between and after them.
   */
  public List<String> literals() {
    return literals;
  }

  /** How many texts were called no match for their length, or because of {@link #STEPS_MAX}. */
  public long gaveUp() {
    return gaveUp.sum();
  }

  /** The inverse of {@link #parse}. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Template other && text.equals(other.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  private enum Outcome {
    MATCHED,
    /** Not from here, but a longer capture before may help. */
    FAILED,
    /** Not from here, nor from further right, unless a capture that repeats gets another value. */
    FAILED_ON_RIGHT,
    GAVE_UP
  }

  /**
   * One search, depth first, shortest captures first.
   *
   * <p>Without repeats there is never a need to go back beyond the last capture: where a capture
   * that appears once fails from here it fails from further right too, for it could have been that
   * much longer. So such templates take time linear in the text (for each literal), as with the
   * {@code *} of file name patterns; only a capture that repeats is worth another value.
   */
  private final class Matching {
    private final String candidate;
    private final Binding known;

    /** By capture: its value in {@code candidate}; an end of 0 says that it has none yet. */
    private final int[] starts = new int[captures.size()];

    private final int[] ends = new int[captures.size()];
    private int steps;

    Matching(String candidate, Binding known) {
      this.candidate = candidate;
      this.known = known;
    }

    Binding binding() {
      TreeMap<String, String> values = new TreeMap<>();
      for (int i = 0; i < starts.length; i++) {
        values.put(captures.get(i), candidate.substring(starts[i], ends[i]));
      }
      return new Binding(values);
    }

    /** Matches this part and all after it, with the part's capture beginning at {@code at}. */
    Outcome part(int part, int at) {
      if (!spend(1)) {
        return Outcome.GAVE_UP;
      }
      int capture = parts[part];
      if (ends[capture] > 0) {
        return fixed(part, at, candidate, starts[capture], ends[capture]);
      }
      String value = known.values().get(captures.get(capture));
      if (value != null) {
        Outcome outcome = fixed(part, at, value, 0, value.length());
        if (outcome == Outcome.MATCHED) {
          bind(capture, at, at + value.length());
        }
        return outcome;
      }
      return part == parts.length - 1 ? rest(capture, at) : free(part, at);
    }

    /** False, and the match is given up, when it has taken too much. */
    private boolean spend(int characters) {
      steps += characters;
      if (steps > STEPS_MAX) {
        gaveUp.increment();
        return false;
      }
      return true;
    }

    /** The part's capture has a value already, {@code source[start, end)}. */
    private Outcome fixed(int part, int at, String source, int start, int end) {
      int length = end - start;
      String literal = literals.get(part + 1);
      if (!spend(length)) {
        return Outcome.GAVE_UP;
      }
      if (!candidate.regionMatches(at, source, start, length)
          || !candidate.startsWith(literal, at + length)) {
        return Outcome.FAILED;
      }
      int next = at + length + literal.length();
      if (part < parts.length - 1) {
        return part(part + 1, next);
      }
      return next == candidate.length() ? Outcome.MATCHED : Outcome.FAILED;
    }

    /** The last capture reaches up to the last literal, of which {@code match} has made sure. */
    private Outcome rest(int capture, int at) {
      int end = candidate.length() - literals.get(parts.length).length();
      if (end <= at) {
        return Outcome.FAILED_ON_RIGHT;
      }
      bind(capture, at, end);
      return Outcome.MATCHED;
    }

    private Outcome free(int part, int at) {
      int capture = parts[part];
      String literal = literals.get(part + 1);
      int endMax = candidate.length() - lengthsMin[part] + 1;
      int from = at;
      int end = candidate.indexOf(literal, at + 1);
      while (end >= 0 && end <= endMax) {
        if (!spend(end - from)) {
          return Outcome.GAVE_UP;
        }
        from = end;
        bind(capture, at, end);
        Outcome rest = part(part + 1, end + literal.length());
        if (rest == Outcome.MATCHED || rest == Outcome.GAVE_UP) {
          return rest;
        }
        bind(capture, 0, 0);
        if (rest == Outcome.FAILED_ON_RIGHT && !repeats[capture]) {
          return rest;
        }
        end = candidate.indexOf(literal, end + 1);
      }
      // What is left was looked through to the end, and held no more.
      if (!spend(candidate.length() - from)) {
        return Outcome.GAVE_UP;
      }
      return repeats[capture] ? Outcome.FAILED : Outcome.FAILED_ON_RIGHT;
    }

    private void bind(int capture, int start, int end) {
      starts[capture] = start;
      ends[capture] = end;
    }
  }
}
