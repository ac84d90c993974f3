package io.palinode.detection.search;

/**
 * A limit of steps for each search, and how many searches met it. Not thread-safe.
 *
 * <p>A trace may hold any number of searches that meet the limit. After ten of them its verdict
 * stays unknown whatever follows, so each further search gets a thousandth of the steps.
 */
public final class Budget {
  private static final int LOOK_EVERY = 64;
  private static final long CUT_OF_TRACE_MAX = 10;
  private static final long SHARE_AFTER = 1_000;

  private final long stepsMax;
  private final long cutMax;
  private final Runnable look;
  private long looks;
  private long cut;

  private Budget(long stepsMax, long cutMax, Runnable look) {
    this.stepsMax = stepsMax;
    this.cutMax = cutMax;
    this.look = look;
  }

  /** The same limit for every search. */
  public Budget(long stepsMax) {
    this(stepsMax, Long.MAX_VALUE, () -> {});
  }

  /** Of all searches in a trace; {@code look} runs during each of them and may throw to end it. */
  public static Budget ofTrace(long stepsMax, Runnable look) {
    return new Budget(stepsMax, CUT_OF_TRACE_MAX, look);
  }

  /** The steps of a new search. */
  Steps search() {
    return new Steps(cut < cutMax ? stepsMax : Math.max(1, stepsMax / SHARE_AFTER));
  }

  /** Called for each step. */
  void look() {
    if (++looks % LOOK_EVERY == 0) {
      look.run();
    }
  }

  void countCut() {
    cut++;
  }

  /** How many searches were stopped before their end: what they would have found is not known. */
  public long cut() {
    return cut;
  }

  /** The steps of one search. */
  final class Steps {
    private final long max;
    private long taken;

    private Steps(long max) {
      this.max = max;
    }

    /** At most {@code limit} of these, counted from 0. */
    Steps atMost(long limit) {
      return new Steps(Math.min(limit, max));
    }

    /** Takes a step; false if there is none left. */
    boolean take() {
      look();
      return ++taken <= max;
    }

    long max() {
      return max;
    }

    /** Takes steps without a look, as many as the work has that follows at once. */
    void take(long count) {
      taken += count;
    }

    /** Whether the search has to stop. */
    boolean areSpent() {
      return taken > max;
    }

    /** All of them are there again. */
    void renew() {
      taken = 0;
    }
  }
}
