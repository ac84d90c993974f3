package io.palinode.store.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs a store against its promises. Each method prints its seeds and figures, or throws {@link
 * AssertionError} with the first seed that breaks a promise.
 */
public final class StoreKit {
  /** The number of histories of a store in memory, half of them with crashes. */
  public static final int SEEDS = Integer.getInteger("palinode.seeds", 1_000);

  private static final int WRITES = 8;

  private final Supplier<KitStore> clusters;
  private final KitFigures figures = new KitFigures();

  /**
   * @param clusters an empty cluster for each history
   */
  public StoreKit(Supplier<KitStore> clusters) {
    this.clusters = clusters;
  }

  /** The figures of all that this kit has run. */
  public KitFigures figures() {
    return figures;
  }

  /** The laws of the record rules. */
  public void rules(int seeds) {
    run(
        "rules",
        seeds,
        seed -> {
          new RulesLaws(clusters.get(), new Random(seed)).check();
          figures.histories++;
        });
  }

  /**
   * Histories of two replicas. A restore gives the model's state at every cut; digests are equal
   * iff records are; a converge makes replicas equal; an undo of a rollback gives the state before
   * it.
   */
  public void histories(int seeds) {
    run("histories", seeds, this::history);
    assertThat(figures.equalDigests).as("equal digests").isPositive();
    assertThat(figures.differentDigests).as("different digests").isPositive();
  }

  /** One of {@link #histories}, such as one that has failed before. */
  public void history(long seed) {
    Random random = new Random(seed);
    try (ClusterRun run = new ClusterRun(clusters.get(), random, figures)) {
      run.work(WRITES);
      run.rollBackToEveryCut(1);
      run.work(WRITES);
      run.member(random.nextInt(2)).restart();
      run.work(WRITES / 2);
      long before = run.rollBack(2);
      run.rollBack(3, before);
      run.work(WRITES);
      run.converge(4);
    }
  }

  /** Plans in which the process of a node ends: at each step, before and after its commit. */
  public void crashes(int seeds) {
    run("crashes", seeds, this::crash);
    assertThat(figures.crashes()).as("crashes").isPositive();
  }

  private void crash(long seed) {
    CrashPoint[] points = CrashPoint.values();
    Random random = new Random(seed);
    try (ClusterRun run = new ClusterRun(clusters.get(), random, figures)) {
      run.work(WRITES);
      run.member(random.nextInt(2)).crashAt(points[(int) (seed % points.length)]);
      long before = run.rollBack(1);
      run.member(random.nextInt(2)).crashAt(points[random.nextInt(points.length)]);
      run.rollBackIfInReach(2, before);
      run.work(WRITES);
      run.member(random.nextInt(2)).kill();
      run.work(WRITES / 2);
      long unused = run.rollBack(3);
      run.converge(4);
    }
  }

  /** Writes of several threads at once. Each seed has 200. */
  public void overlapping(int seeds) {
    run(
        "overlapping",
        seeds,
        seed -> figures.overlapping += new OverlappingWrites(clusters.get()).check(seed));
  }

  private void run(String part, int seeds, History history) {
    for (long seed = 0; seed < seeds; seed++) {
      try {
        history.run(seed);
      } catch (AssertionError
          | RuntimeException
          | ExecutionException
          | TimeoutException
          | InterruptedException e) {
        throw new AssertionError("%s, seed=%d: %s".formatted(part, seed, e.getMessage()), e);
      }
    }
    System.out.println("kit=%s seeds=0..%d %s".formatted(part, seeds - 1, figures));
  }

  /** One history. */
  @FunctionalInterface
  private interface History {
    void run(long seed) throws InterruptedException, ExecutionException, TimeoutException;
  }
}
