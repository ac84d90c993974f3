package io.palinode.detection.search;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds one choice for each term such that all go with each other and their amounts add up to a
 * number. NP-complete (a subset sum); so it is a search depth first, in a limited number of steps.
 *
 * <p>A branch is left as soon as what is missing cannot be made up by the choices that are left:
 *
 * <ul>
 *   <li>it is below the least or above the greatest sum of those that still go with all chosen
 *       ones;
 *   <li>it is not a sum that the terms can have, where these are few (the sums of the last terms
 *       are listed once);
 *   <li>it has another residue than all sums have: by the greatest common divisor of the
 *       differences between a term's amounts, which is 2 if only their parity is the same;
 *   <li>the same was missing before at the same term with the same choices left, and that failed.
 * </ul>
 *
 * So terms of few different amounts need few steps for each different sum, however many choices
 * have the same amount.
 *
 * <p>Amounts are whole numbers in the unit of the finest one, modulo 2<sup>64</sup>. Equal sums
 * have equal residues, so no solution is lost; where sums may not fit, bounds and failures are not
 * used and each solution is checked.
 */
final class EqualSum {
  private static final long LISTED_MAX = 100_000;
  private static final int FAILED_MAX = 50_000;

  /** What each term can be. */
  interface Choices {
    int terms();

    /** At least one. */
    int size(int term);

    BigDecimal amount(int term, int choice);

    boolean fit(int term, int choice, int other, int otherChoice);
  }

  private final Choices choices;
  private final BigDecimal sum;
  private final Budget.Steps steps;
  // The terms in the order in which they are chosen, and the number of the first choice of each.
  private final int[] order;
  private final int[] first;
  private final long[] amounts;
  private final boolean exact;
  // Of the terms from each place on: their sums, in order, null where they are too many.
  private final long[] @Nullable [] sums;
  private final long[] base;
  private final long[] divisor;
  private final @Nullable BitSet[] fits;
  private final Set<Failure> failures = new HashSet<>();
  private final int[] chosen;
  private long solutions;

  /** Searched before, in vain: the terms from {@code depth} on do not add up to {@code rest}. */
  private record Failure(int depth, long rest, BitSet left) {}

  private EqualSum(Choices choices, BigDecimal sum, Budget.Steps steps) {
    this.choices = choices;
    this.sum = sum;
    this.steps = steps;
    int terms = choices.terms();
    this.order =
        IntStream.range(0, terms)
            .boxed()
            .sorted(Comparator.comparingInt(choices::size))
            .mapToInt(Integer::intValue)
            .toArray();
    this.first = new int[terms + 1];
    for (int depth = 0; depth < terms; depth++) {
      first[depth + 1] = first[depth] + choices.size(order[depth]);
    }
    this.amounts = new long[first[terms] + 1];
    this.exact = setAmounts();
    this.sums = new long[terms + 1][];
    this.base = new long[terms + 1];
    this.divisor = new long[terms + 1];
    this.fits = new BitSet[first[terms]];
    this.chosen = new int[terms];
  }

  /**
   * Passes solutions on until {@code isLast}, and returns whether that came: of each term, its
   * choice. The array is used again. Each solution gets all of {@code steps}.
   */
  static boolean search(
      Choices choices, BigDecimal sum, Budget.Steps steps, Predicate<int[]> isLast) {
    EqualSum search = new EqualSum(choices, sum, steps);
    search.addUp();
    BitSet left = new BitSet();
    left.set(0, search.fits.length);
    return search.from(0, search.amounts[search.fits.length], left, isLast);
  }

  /** In the unit of the finest; the last one is the sum. Whether no sum is out of bounds. */
  private boolean setAmounts() {
    int scale = sum.scale();
    for (int term = 0; term < choices.terms(); term++) {
      for (int choice = 0; choice < choices.size(term); choice++) {
        scale = Math.max(scale, choices.amount(term, choice).scale());
      }
    }
    BigInteger whole = sum.setScale(scale).unscaledValue();
    amounts[amounts.length - 1] = whole.longValue();
    BigInteger bound = whole.abs();
    for (int depth = 0; depth < order.length; depth++) {
      BigInteger most = BigInteger.ZERO;
      for (int i = first[depth]; i < first[depth + 1]; i++) {
        whole = choices.amount(order[depth], i - first[depth]).setScale(scale).unscaledValue();
        amounts[i] = whole.longValue();
        most = most.max(whole.abs());
      }
      bound = bound.add(most);
    }
    return bound.bitLength() < Long.SIZE - 1;
  }

  private void addUp() {
    sums[order.length] = new long[] {0};
    long listed = 0;
    for (int depth = order.length - 1; depth >= 0; depth--) {
      long[] different =
          Arrays.stream(amounts, first[depth], first[depth + 1]).sorted().distinct().toArray();
      long[] after = sums[depth + 1];
      listed += after == null ? 0 : (long) after.length * different.length;
      if (after != null && listed <= Math.min(LISTED_MAX, steps.max())) {
        sums[depth] = sums(after, different);
      }
      base[depth] = base[depth + 1] + different[0];
      divisor[depth] = divisor[depth + 1];
      for (long each : different) {
        divisor[depth] = greatestDivisor(divisor[depth], each - different[0]);
      }
    }
  }

  private static long[] sums(long[] after, long[] different) {
    long[] all = new long[after.length * different.length];
    int count = 0;
    for (long each : different) {
      for (long rest : after) {
        all[count++] = each + rest;
      }
    }
    Arrays.sort(all);
    int kept = 1;
    for (int i = 1; i < all.length; i++) {
      if (all[i] != all[i - 1]) {
        all[kept++] = all[i];
      }
    }
    return Arrays.copyOf(all, kept);
  }

  private static long greatestDivisor(long a, long b) {
    return b == 0 ? Math.abs(a) : greatestDivisor(b, a % b);
  }

  /** {@code rest} is missing, and {@code left} go with all that was chosen. */
  private boolean from(int depth, long rest, BitSet left, Predicate<int[]> isLast) {
    if (!mayBe(depth, rest, left)) {
      return false;
    }
    if (depth == order.length) {
      return (exact || isSum()) && isSolution(isLast);
    }
    Failure failure = exact ? new Failure(depth, rest, left) : null;
    if (failure != null && failures.contains(failure)) {
      return false;
    }
    long before = solutions;
    for (int i = left.nextSetBit(first[depth]);
        i >= 0 && i < first[depth + 1];
        i = left.nextSetBit(i + 1)) {
      chosen[order[depth]] = i - first[depth];
      if (from(depth + 1, rest - amounts[i], leftBy(depth, i, left), isLast)) {
        return true;
      }
      if (!steps.take()) {
        return false;
      }
    }
    if (failure != null && solutions == before && failures.size() < FAILED_MAX) {
      failures.add(failure);
    }
    return false;
  }

  /** Whether the terms from {@code depth} on may add up to {@code rest}. */
  private boolean mayBe(int depth, long rest, BitSet left) {
    long[] ofLast = sums[depth];
    if (ofLast != null && Arrays.binarySearch(ofLast, rest) < 0) {
      return false;
    }
    if (exact && divisor[depth] != 0 && (rest - base[depth]) % divisor[depth] != 0) {
      return false;
    }
    long least = 0;
    long most = 0;
    for (int each = depth; each < order.length; each++) {
      long leastOfTerm = Long.MAX_VALUE;
      long mostOfTerm = Long.MIN_VALUE;
      int i = left.nextSetBit(first[each]);
      if (i < 0 || i >= first[each + 1]) {
        return false;
      }
      for (; i >= 0 && i < first[each + 1]; i = left.nextSetBit(i + 1)) {
        leastOfTerm = Math.min(leastOfTerm, amounts[i]);
        mostOfTerm = Math.max(mostOfTerm, amounts[i]);
      }
      least += leastOfTerm;
      most += mostOfTerm;
    }
    return !exact || (least <= rest && rest <= most);
  }

  private boolean isSolution(Predicate<int[]> isLast) {
    solutions++;
    steps.renew();
    return isLast.test(chosen);
  }

  private boolean isSum() {
    BigDecimal total = BigDecimal.ZERO;
    for (int term = 0; term < chosen.length; term++) {
      total = total.add(choices.amount(term, chosen[term]));
    }
    return total.compareTo(sum) == 0;
  }

  /** Of {@code left}, those of later terms that go with choice {@code i}. */
  private BitSet leftBy(int depth, int i, BitSet left) {
    BitSet known = fits[i];
    if (known == null) {
      known = fitting(depth, i);
      fits[i] = known;
    }
    BitSet both = (BitSet) known.clone();
    both.and(left);
    return both;
  }

  private BitSet fitting(int depth, int i) {
    BitSet fitting = new BitSet();
    for (int other = depth + 1; other < order.length; other++) {
      for (int j = first[other]; j < first[other + 1]; j++) {
        steps.take();
        if (choices.fit(order[depth], i - first[depth], order[other], j - first[other])) {
          fitting.set(j);
        }
      }
    }
    return fitting;
  }
}
