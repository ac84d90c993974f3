package io.palinode.predicate.text;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds what a misspelt word was meant to be. */
public final class Spelling {
  private static final int LENGTH_MAX = 64;

  private Spelling() {}

  /** {@code ; did you mean 'x'?}, or nothing when no known word is near. */
  public static String hint(String word, Collection<String> known) {
    String nearest = nearest(word, known);
    return nearest == null ? "" : "; did you mean '" + nearest + "'?";
  }

  /** The known word with the fewest edits, if they are at most a third of its letters. */
  static @Nullable String nearest(String word, Collection<String> known) {
    if (word.length() > LENGTH_MAX) {
      return null;
    }
    String nearest = null;
    int editsMin = Integer.MAX_VALUE;
    for (String candidate : known) {
      int edits = edits(fold(word), fold(candidate));
      int editsMax = Math.min(Math.max(1, candidate.length() / 3), candidate.length() - 1);
      if (edits < editsMin && edits <= editsMax) {
        nearest = candidate;
        editsMin = edits;
      }
    }
    return nearest;
  }

  private static String fold(String word) {
    return word.toLowerCase(Locale.ROOT).replaceAll("[-_ ]", "");
  }

  /** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
  private static int edits(String a, String b) {
    int[][] cost = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        cost[i][j] = i == 0 || j == 0 ? i + j : edit(cost, a, b, i, j);
      }
    }
    return cost[a.length()][b.length()];
  }

  private static int edit(int[][] cost, String a, String b, int i, int j) {
    int substituted = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
    int least = Math.min(substituted, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
    boolean swapped =
        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
  }
}
