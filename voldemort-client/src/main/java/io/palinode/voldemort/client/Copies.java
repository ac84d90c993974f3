package io.palinode.voldemort.client;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.client.link.Answer;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.link.NodeLanes;
import io.palinode.voldemort.client.link.Transport;
import io.palinode.voldemort.client.session.EpochView;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.client.session.RefusedByFence;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.protocol.Pb0;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The copies of accepted writes that are in flight to further replicas. Thread-safe.
 *
 * <p>A writer that finds a node with {@value #PER_NODE_MAX} of them waits before it begins, so the
 * bound is passed by at most one copy a thread. While a node is paused a copy is sent again, as
 * long as a call would wait; copies of several keys may then change places, but not those of one:
 * behind one that is held up they wait for its end. Else a delete could come before the put that it
 * is to delete. That the node has a newer version already is as good as success.
 *
 * <p>A repair is a copy that no caller waits for and that is sent once. It belongs to the epoch in
 * which it was read, and is never sent in another. It takes no room that writers would wait for,
 * and is not made of a key of which a copy was held up while it was read, whichever node that is
 * for: what was read may be what that copy takes away.
 */
final class Copies {
  static final int PER_NODE_MAX = 512;

  /** No repair is made while so many copies are in flight to its node. */
  static final int REPAIRS_PER_NODE_MAX = PER_NODE_MAX / 2;

  private static final long HELD_UP = -1;
  private static final Duration FLUSH_MAX = Duration.ofSeconds(5);

  private final Transport transport;
  private final ClientMetrics metrics;
  private final Map<Integer, AtomicInteger> inFlight = new HashMap<>();
  private final Set<Copy> sleeping = ConcurrentHashMap.newKeySet();

  /** Of those that are held up, the last one for a key at a node. */
  private final Map<Target, Copy> heldUp = new ConcurrentHashMap<>();

  private final AtomicLong numbers = new AtomicLong();

  /** How often a copy began to be held up. */
  private final AtomicLong holdUps = new AtomicLong();

  private volatile boolean closed;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  Copies(Collection<Integer> nodes, Transport transport, ClientMetrics metrics) {
    this.transport = transport;
    this.metrics = metrics;
    nodes.forEach(node -> inFlight.put(node, new AtomicInteger()));
  }

  /** Returns once no node has too many. Every copy ends, so this does too. */
  void awaitRoom(List<Integer> nodes) {
    if (haveRoom(nodes)) {
      return;
    }
    metrics.copyWaits.increment();
    lock.lock();
    try {
      while (!haveRoom(nodes)) {
        room.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while too many copies were in flight", e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for the copies in flight, for {@link #FLUSH_MAX} at most: a copy that is given up leaves
   * a replica behind until the key is written again. The connections must still be open.
   */
  void flush() {
    long nanos = FLUSH_MAX.toNanos();
    lock.lock();
    try {
      while (nanos > 0 && inFlight.values().stream().anyMatch(count -> count.get() > 0)) {
        nanos = room.awaitNanos(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private boolean haveRoom(List<Integer> nodes) {
    for (Integer node : nodes) {
      if (count(node).get() >= PER_NODE_MAX) {
        return false;
      }
    }
    return true;
  }

  private AtomicInteger count(int node) {
    AtomicInteger count = inFlight.get(node);
    if (count == null) {
      throw new IllegalArgumentException("no such node in the cluster: node=" + node);
    }
    return count;
  }

  /**
   * Sends a copy; the result fails as that of {@link NodeLanes#send} does.
   *
   * @param acceptedIn the epoch in which the first node took it; or {@link EpochView#UNKNOWN}
   */
  CompletableFuture<Answer.Accepted> send(
      NodeLanes connection, Ask<Answer.Accepted> ask, Call call, long acceptedIn) {
    Copy copy = new Copy(connection, ask, call, acceptedIn);
    copy.tally.started.increment();
    copy.count.incrementAndGet();
    if (!copy.waitsForEarlier()) {
      copy.send(Call.PAUSE_MIN);
    }
    return copy.result;
  }

  /** What {@link #repair} is to be given of a read of that key that begins now. */
  long beforeRead(String store, ByteString key) {
    long before = holdUps.get();
    return isHeldUp(store, key) ? HELD_UP : before;
  }

  /**
   * Sends a repair, if there is room.
   *
   * @param readIn the epoch in which its node lacked it and another one had it; or {@link
   *     EpochView#UNKNOWN}
   * @param beforeRead of {@link #beforeRead}, when that was asked
   */
  void repair(
      NodeLanes connection, Ask<Answer.Accepted> ask, Call call, long readIn, long beforeRead) {
    Copy repair = new Copy(connection, ask, call, readIn);
    repair.tally.started.increment();
    Target target = repair.target;
    // Of whatever key, since then: it is seldom, and nothing is lost by waiting for the next read.
    boolean heldUp = isHeldUp(target.store(), target.key()) || holdUps.get() != beforeRead;
    if (heldUp || repair.count.get() >= REPAIRS_PER_NODE_MAX) {
      repair.tally.dropped.increment();
      return;
    }
    repair.count.incrementAndGet();
    repair.send(Call.PAUSE_MIN);
  }

  /** Whether a copy of this key is held up, to whatever node. */
  private boolean isHeldUp(String store, ByteString key) {
    return !heldUp.isEmpty()
        && inFlight.keySet().stream()
            .anyMatch(node -> heldUp.containsKey(new Target(node, store, key)));
  }

  /** Gives up the copies that wait for a node to resume; the others are with the connections. */
  void giveUp(LongPredicate whichEpochs) {
    for (Copy copy : sleeping) {
      if (whichEpochs.test(copy.call.epoch())) {
        copy.end(null, RefusedByFence.over());
      }
    }
  }

  void close() {
    closed = true;
    for (Copy copy : sleeping) {
      copy.end(null, new StoreException("the client is closed"));
    }
  }

  /** A key at a node. */
  private record Target(int node, String store, ByteString key) {}

  private final class Copy {
    final CompletableFuture<Answer.Accepted> result = new CompletableFuture<>();
    private final NodeLanes connection;
    private final AtomicInteger count;
    private final Ask<Answer.Accepted> ask;
    private final Call call;
    private final AtomicBoolean ended = new AtomicBoolean();

    private final long acceptedIn;
    private final long number = numbers.incrementAndGet();
    private final Target target;
    private final ClientMetrics.Tally tally;

    Copy(NodeLanes connection, Ask<Answer.Accepted> ask, Call call, long acceptedIn) {
      this.acceptedIn = acceptedIn;
      this.connection = connection;
      this.count = count(connection.node());
      this.tally = ask.isRepair() ? metrics.repairs : metrics.copies;
      this.ask = ask;
      this.call = call;
      Pb0.VoldemortRequest request = ask.request();
      this.target = new Target(connection.node(), request.getStore(), NodeLanes.keyOf(request));
    }

    void send(Duration pause) {
      long epoch = transport.session().view().epochFor(call.epoch());
      if (isOfAnother(epoch)) {
        // Convergence completes a copy; a repair is dropped.
        end(
            ask.isRepair() ? null : Answer.Accepted.ALREADY,
            ask.isRepair() ? RefusedByFence.over() : null);
        return;
      }
      var unused =
          connection
              .send(ask, epoch)
              .whenComplete((accepted, failure) -> answered(accepted, cause(failure), pause));
    }

    /**
     * Convergence completes the copies that a node accepted before the pause. In the next epoch the
     * copy would do harm: it would restore a key that was deleted since, and remove one that was
     * deleted and written again.
     */
    private boolean isOfAnother(long epoch) {
      return acceptedIn != EpochView.UNKNOWN && epoch != EpochView.UNKNOWN && acceptedIn != epoch;
    }

    private void answered(
        Answer.@Nullable Accepted accepted, @Nullable Throwable failure, Duration pause) {
      if (ask.isRepair()) {
        end(accepted, failure);
        return;
      }
      boolean paused = failure instanceof RefusedByFence fence && !fence.isEpochOver();
      if ((paused || failure == null) && waitsForEarlier()) {
        // It was under way when an earlier one was refused: what it did may have been too early.
        return;
      }
      if (!paused) {
        end(accepted, failure);
      } else if (call.isOverdue(transport.nanoTime().getAsLong())) {
        end(null, new NodeException(connection.node(), "paused"));
      } else {
        sendAfter(pause);
      }
    }

    /** Whether an earlier one is held up: then this one is sent, or sent again, when that ends. */
    private boolean waitsForEarlier() {
      Copy[] earlier = {null};
      heldUp.computeIfPresent(
          target,
          (same, last) -> {
            if (last.number >= number) {
              return last;
            }
            earlier[0] = last;
            return this;
          });
      if (earlier[0] == null) {
        return false;
      }
      sleeping.add(this);
      var unused =
          earlier[0].result.whenComplete(
              (done, failure) -> {
                if (sleeping.remove(this)) {
                  send(Call.PAUSE_MIN);
                }
              });
      return true;
    }

    private void sendAfter(Duration pause) {
      metrics.pauseRetries.increment();
      heldUp.putIfAbsent(target, this);
      // After that: a thread that does not see the one sees the other.
      holdUps.incrementAndGet();
      sleeping.add(this);
      if (closed) {
        end(null, new StoreException("the client is closed"));
        return;
      }
      try {
        var unused =
            transport
                .threads()
                .schedule(
                    () -> {
                      if (sleeping.remove(this)) {
                        send(Call.longer(pause));
                      }
                    },
                    pause.toMillis(),
                    TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        end(null, new StoreException("the client is closed", e));
      }
    }

    /** Only its first call counts: a copy may be given up while it is sent again. */
    void end(Answer.@Nullable Accepted accepted, @Nullable Throwable failure) {
      sleeping.remove(this);
      if (!ended.compareAndSet(false, true)) {
        return;
      }
      countEnd(failure);
      heldUp.remove(target, this);
      if (accepted != null) {
        result.complete(accepted);
      } else if (failure instanceof ObsoleteVersionException) {
        result.complete(Answer.Accepted.ALREADY);
      } else if (failure != null) {
        result.completeExceptionally(failure);
      }
    }

    private void countEnd(@Nullable Throwable failure) {
      if (failure == null || failure instanceof ObsoleteVersionException) {
        tally.done.increment();
      } else if (failure instanceof RefusedByFence) {
        tally.dropped.increment();
      } else {
        tally.failed.increment();
      }
      int before = count.getAndDecrement();
      if (before == PER_NODE_MAX || before == 1) {
        lock.lock();
        try {
          room.signalAll();
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private static @Nullable Throwable cause(@Nullable Throwable failure) {
    return failure instanceof CompletionException ? failure.getCause() : failure;
  }
}
