package io.palinode.examples.graph.run;

import io.palinode.examples.graph.Edge;
import io.palinode.examples.graph.Keys;
import io.palinode.examples.graph.Partition;
import io.palinode.examples.graph.truth.SectionLog;
import io.palinode.voldemort.client.RestartBackOff;
import io.palinode.voldemort.client.session.RolledBack;
import io.palinode.voldemort.client.session.RolledBackException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One client: colours its vertices, round after round, and repeats what a rollback discarded.
 * {@link #run} belongs to one thread; the counters may be read by any.
 *
 * <p>Beginning and beginning again are the same thing: clear away what unfinished tasks left in the
 * store, then continue from the first task that does not stand. A killed client can thus be
 * restarted, too.
 */
public final class ColouringClient {
  private final int index;
  private final RunConfig config;
  private final Partition partition;
  private final List<Integer> vertices;
  private final int palette;
  private final CountedCells cells;
  private final Timing timing;
  private final PetersonLock lock;
  private final RestartBackOff backOff;
  private final SectionLog log;
  private final Journal journal = new Journal();
  private final Map<Integer, Integer> colours = new HashMap<>();

  private Duration restartPause = Duration.ZERO;
  private int tasksEver;
  private long operationsAccounted;

  private final AtomicLong wasted = new AtomicLong();
  private volatile int tasks;
  private volatile long writtenNanos;
  private volatile List<RolledBack> rollbacks = List.of();

  /**
   * @param stopped when it turns true, the next operation throws {@link
   *     java.util.concurrent.CancellationException}
   */
  public ColouringClient(
      int index,
      RunConfig config,
      Partition partition,
      Cells cells,
      Timing timing,
      BooleanSupplier stopped) {
    this.index = index;
    this.config = config;
    this.partition = partition;
    this.vertices = partition.verticesOf(index);
    this.palette = config.graph().maxDegree() + 1;
    this.cells = new CountedCells(cells, stopped);
    this.timing = timing;
    this.lock = new PetersonLock(this.cells, timing, config.lockWaitMax());
    this.backOff = RestartBackOff.of(new Random(config.seed() * 1_000_003 + index));
    this.log = new SectionLog(index);
  }

  /**
   * Returns when all tasks are done, on all replicas, and safe if so configured. Throws what the
   * store throws.
   */
  public void run() {
    boolean done = false;
    while (!done) {
      try {
        clearAway();
        if (!restartPause.isZero()) {
          timing.pauseNanos().accept(restartPause.toNanos());
          restartPause = Duration.ZERO;
        }
        while (journal.size() < config.load().rounds() * vertices.size()) {
          perform(journal.size() / vertices.size(), vertices.get(journal.size() % vertices.size()));
        }
        writtenNanos = timing.nanoTime().getAsLong();
        if (config.end().finish() == RunConfig.Finish.SAFE) {
          cells.awaitSafe(journal.lastAcceptedAt(), config.end().waitMax());
        }
        done = true;
      } catch (RolledBackException e) {
        takeBack(e.rolledBack());
        restartPause = backOff.rolledBack();
      }
    }
    // Others may still wait for a lock that this client has released on one replica only.
    cells.settle(config.end().waitMax());
  }

  /** Finished tasks that stand, as far as the client knows. */
  public int tasks() {
    return tasks;
  }

  /** Gets and puts that returned. */
  public long operations() {
    return cells.operations();
  }

  /**
   * Operations that rollbacks cost: those of tasks, and parts of tasks, that had to be done again,
   * and of clearing away. The others are those of the tasks that stand and of the first clearing
   * away.
   */
  public long wasted() {
    return wasted.get();
  }

  /** Those that the client learned of, in order. */
  public List<RolledBack> rollbacks() {
    return rollbacks;
  }

  /** When the last task was finished (for the last time so far); 0: not yet. */
  public long writtenNanos() {
    return writtenNanos;
  }

  public SectionLog log() {
    return log;
  }

  private void perform(int round, int vertex) {
    cells.takeGreatestAcceptedAt();
    workOrdinarily(round, vertex);
    List<Edge> edges = partition.crossEdges(vertex);
    for (Edge edge : edges) {
      lock.acquire(edge, vertex);
    }
    for (Edge edge : edges) {
      mark(edge, vertex, Keys.INSIDE);
    }
    int colour = firstFreeColour(round, vertex);
    cells.put(Keys.color(vertex), Integer.toString(colour));
    for (Edge edge : edges) {
      mark(edge, vertex, Keys.published(colour));
    }
    for (Edge edge : edges) {
      lock.release(edge, vertex);
    }
    colours.put(vertex, colour);
    journal.add(cells.takeGreatestAcceptedAt(), takeOperations());
    tasks = journal.size();
    if (tasks > tasksEver) {
      tasksEver = tasks;
      backOff.progressed();
    }
  }

  /** Reads and writes that no rule is about. The puts are spread evenly. */
  private void workOrdinarily(int round, int vertex) {
    int percent = config.load().putPercent();
    for (int i = 0; i < config.load().workOperations(); i++) {
      String key = Keys.load(vertex, i / 2);
      if ((i + 1) * percent / 100 == i * percent / 100) {
        cells.get(key);
      } else {
        cells.put(key, Integer.toString(round));
      }
    }
  }

  /** In cyclic order from the round's number, so that each round recolours. */
  private int firstFreeColour(int round, int vertex) {
    BitSet taken = new BitSet(palette);
    for (int neighbour : config.graph().neighbours(vertex)) {
      Integer colour =
          partition.owner(neighbour) == index ? colours.get(neighbour) : colourInStore(neighbour);
      if (colour != null) {
        taken.set(colour);
      }
    }
    int start = round % palette;
    int free = taken.nextClearBit(start);
    // A vertex has fewer neighbours than there are colours, so there is one before the start.
    return free < palette ? free : taken.nextClearBit(0);
  }

  private @Nullable Integer colourInStore(int vertex) {
    String colour = cells.get(Keys.color(vertex));
    return colour == null ? null : Integer.valueOf(colour);
  }

  /** Writes the cell of a section and logs when. */
  private void mark(Edge edge, int vertex, String value) {
    long calledNanos = timing.nanoTime().getAsLong();
    long acceptedAt = SectionLog.UNKNOWN;
    try {
      acceptedAt = cells.put(Keys.cs(edge, vertex), value);
    } finally {
      log.wrote(edge, vertex, value, calledNanos, timing.nanoTime().getAsLong(), acceptedAt);
    }
  }

  /**
   * Loads the client's colours and leaves all sections and locks that the store says it holds.
   *
   * <p>A section that is left this way publishes no colour. Its task will be done again and will
   * publish one; and the colour that the store holds for the vertex may be the very mistake that
   * the rollback is for: the target lies just before the colour was published, not before it was
   * chosen. Publishing it now would break the same rule again, without end.
   */
  private void clearAway() {
    colours.clear();
    for (int vertex : vertices) {
      Integer colour = colourInStore(vertex);
      if (colour != null) {
        colours.put(vertex, colour);
      }
      for (Edge edge : partition.crossEdges(vertex)) {
        if (Keys.INSIDE.equals(cells.get(Keys.cs(edge, vertex)))) {
          mark(edge, vertex, Keys.CLEARED);
        }
        if (Keys.WANTED.equals(cells.get(Keys.flag(edge, vertex)))) {
          lock.release(edge, vertex);
        }
      }
    }
    long cost = takeOperations();
    if (!rollbacks.isEmpty()) {
      wasted.addAndGet(cost);
    }
  }

  private void takeBack(RolledBack rolledBack) {
    log.rolledBack(rolledBack, timing.nanoTime().getAsLong());
    wasted.addAndGet(takeOperations() + journal.undoAfter(rolledBack.target()));
    tasks = journal.size();
    List<RolledBack> seen = new ArrayList<>(rollbacks);
    seen.add(rolledBack);
    rollbacks = List.copyOf(seen);
  }

  /** The operations since the last call. */
  private long takeOperations() {
    long operations = cells.operations();
    long since = operations - operationsAccounted;
    operationsAccounted = operations;
    return since;
  }
}
