package io.palinode.voldemort.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.cluster.Ring;
import io.palinode.voldemort.cluster.StoreDefinition;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One store as it was, at a time or in a snapshot; also what a rollback discarded later. Only for
 * our nodes: a stock node cannot answer, and counts as failed. Throws as {@link Store} does; the
 * reasons of nodes say which times can be read, and which snapshots are not there. Thread-safe.
 */
public final class PastStore {
  private static final String OF_NO_STORE = "";

  private final StoreDefinition definition;
  private final Ring ring;
  private final Replicas replicas;

  PastStore(StoreDefinition definition, Ring ring, Replicas replicas) {
    this.definition = definition;
    this.ring = ring;
    this.replicas = replicas;
  }

  /**
   * A snapshot, and the taking of it that is meant: a node that has another refuses, for a rolling
   * one is moved.
   *
   * @param number of the taking; 0: of whichever counts at the node
   */
  public record Snapshot(String name, long number) {}

  /**
   * A store at a time, or in a snapshot.
   *
   * @param snapshot null: the time is meant
   */
  public record Point(@Nullable Snapshot snapshot, long hlc) {
    private Pb0.PastPoint toProto() {
      return snapshot == null
          ? Pb0.PastPoint.newBuilder().setHlc(hlc).build()
          : Pb0.PastPoint.newBuilder()
              .setSnapshot(snapshot.name())
              .setNumber(snapshot.number())
              .build();
    }
  }

  /** A key that differs, with its versions, none where it is absent. */
  public record Difference(byte[] key, List<Versioned> before, List<Versioned> after) {
    public Difference {
      before = List.copyOf(before);
      after = List.copyOf(after);
    }
  }

  /**
   * Some of the keys that differ, in the order of unsigned bytes.
   *
   * @param end where the next page begins; null: there is none
   */
  public record Page(List<Difference> keys, byte @Nullable [] end) {
    public Page {
      keys = List.copyOf(keys);
    }
  }

  /** What a node found whole; the checksum is that of its part's file. */
  public record Verified(long number, long keys, int checksum) {}

  /**
   * The times that can be read at a node, and what its window-logs take.
   *
   * @param stock the clients that write there without a clock
   */
  public record Reach(
      long from, long to, Exact exact, Memory memory, Disk disk, StockClients stock) {}

  /** From here on every time can be read; before it only multiples of {@code granularityHlc}. */
  public record Exact(long from, long granularityHlc) {}

  /** How far back memory alone reaches, and what it takes. */
  public record Memory(long from, long bytes) {}

  /**
   * What the window-logs take on disk.
   *
   * @param failure why some of it is not written now; empty: it is, or is not meant to be
   */
  public record Disk(long bytes, String failure) {}

  /**
   * Clients that send no clock, such as stock Voldemort clients.
   *
   * @param connections that are open
   * @param writes that were accepted since the node's start
   */
  public record StockClients(long connections, long writes) {}

  /** Throws {@link NodeException} when the node does not answer. */
  public Reach reachAt(int node) {
    Pb0.ReachResponse reach =
        ask(node, OF_NO_STORE, Pb0.PastRequest.newBuilder().setReach(true)).getReach();
    long from = reach.getFromHlc();
    return new Reach(
        from,
        reach.getToHlc(),
        new Exact(
            reach.hasExactFromHlc() ? reach.getExactFromHlc() : from, reach.getGranularityHlc()),
        new Memory(reach.hasMemoryFromHlc() ? reach.getMemoryFromHlc() : from, reach.getBytes()),
        new Disk(reach.getDiskBytes(), reach.getDiskFailure()),
        new StockClients(reach.getStockConnections(), reach.getStockWrites()));
  }

  /**
   * The last time at or before {@code hlc} that all nodes that answer can read, as far as
   * compaction goes: not when that is before all that there is.
   */
  public long floor(long hlc) {
    long granularity = 0;
    for (int node : replicas.order()) {
      try {
        Exact exact = reachAt(node).exact();
        if (hlc < exact.from()) {
          granularity = Math.max(granularity, exact.granularityHlc());
        }
      } catch (NodeException unanswered) {
        // It will not answer for the time either.
      }
    }
    return granularity == 0 ? hlc : hlc - hlc % granularity;
  }

  /** The value that the key had at {@code hlc}, by R replicas; null when it had none. */
  public @Nullable String getAt(String key, long hlc) {
    return value(key, Ask.getAsOf(definition.name(), bytes(key), hlc));
  }

  /** The value that the key had at {@code hlc} on this node; null when it had none there. */
  public @Nullable String getAt(int node, String key, long hlc) {
    Ask<List<Versioned>> ask = Ask.getAsOf(definition.name(), bytes(key), hlc);
    return text(replicas.run(call -> Replicas.await(replicas.ask(node, ask, call))));
  }

  /** The value of the key in a snapshot, by R replicas; null when it has none. */
  public @Nullable String getIn(Snapshot snapshot, String key) {
    return value(
        key, Ask.getInSnapshot(definition.name(), bytes(key), snapshot.name(), snapshot.number()));
  }

  private @Nullable String value(String key, Ask<List<Versioned>> ask) {
    List<Integer> order = replicas.order(ring.preferenceList(bytes(key)));
    List<Versioned> versions =
        replicas.run(
            call ->
                Replicas.await(
                        replicas.gather(order, Quorum.of(definition.requiredReads()), ask, call))
                    .values()
                    .stream()
                    .flatMap(List::stream)
                    .toList());
    return text(versions);
  }

  private static @Nullable String text(List<Versioned> versions) {
    Versioned version = Siblings.resolve(Siblings.merge(versions, List.of()));
    return version == null ? null : version.text();
  }

  /**
   * The keys of one node that differ, behind {@code behind} (null: from the first). Takes as long
   * as the node takes to compare 100,000 keys at most.
   */
  public Page differenceAt(int node, Point before, Point after, byte @Nullable [] behind) {
    Pb0.DifferenceRequest.Builder wanted =
        Pb0.DifferenceRequest.newBuilder().setBefore(before.toProto()).setAfter(after.toProto());
    if (behind != null) {
      wanted.setBehind(ByteString.copyFrom(behind));
    }
    Pb0.DifferenceResponse page =
        ask(node, definition.name(), Pb0.PastRequest.newBuilder().setDifference(wanted))
            .getDifference();
    return new Page(
        page.getKeysList().stream().map(PastStore::difference).toList(),
        page.hasEnd() ? page.getEnd().toByteArray() : null);
  }

  private static Difference difference(Pb0.KeyDifference key) {
    return new Difference(
        key.getKey().toByteArray(),
        key.getBeforeList().stream().map(Versioned::fromProto).toList(),
        key.getAfterList().stream().map(Versioned::fromProto).toList());
  }

  /**
   * Has one node read all that it has of a snapshot, and compare it. Throws {@link NodeException}
   * that says what is wrong. Takes as long as the node takes to read it.
   */
  public Verified verifyAt(int node, String snapshot) {
    Pb0.VerifyResponse found =
        ask(node, OF_NO_STORE, Pb0.PastRequest.newBuilder().setVerify(snapshot)).getVerify();
    return new Verified(found.getNumber(), found.getKeys(), found.getChecksum());
  }

  /**
   * A change at one node. An empty list means that the key was absent.
   *
   * @param client the writer; empty if unknown
   */
  public record Change(
      byte[] key, long hlc, List<Versioned> before, List<Versioned> after, String client) {
    public Change {
      before = List.copyOf(before);
      after = List.copyOf(after);
    }
  }

  /**
   * Changes that a rollback discarded, in the order of time.
   *
   * @param end what to ask behind next; null: that was all
   */
  public record DiscardedPage(List<Change> writes, @Nullable Long end) {
    public DiscardedPage {
      writes = List.copyOf(writes);
    }
  }

  /**
   * The changes of one node after {@code from} and up to {@code to} of which nothing was there at
   * {@code settled}. Takes as long as the node takes to go through all changes since {@code from}.
   *
   * @param behind so many changes of that time were seen before
   */
  public DiscardedPage discardedAt(int node, long from, long to, long settled, long behind) {
    Pb0.DiscardedRequest wanted =
        Pb0.DiscardedRequest.newBuilder()
            .setFromHlc(from)
            .setToHlc(to)
            .setSettledHlc(settled)
            .setBehind(behind)
            .build();
    Pb0.DiscardedResponse page =
        ask(node, definition.name(), Pb0.PastRequest.newBuilder().setDiscarded(wanted))
            .getDiscarded();
    return new DiscardedPage(
        page.getWritesList().stream().map(PastStore::change).toList(),
        page.hasEnd() ? page.getEnd() : null);
  }

  /**
   * The changes of a key at one node after {@code from} and up to {@code to}, in the order of time;
   * with those that a rollback made or discarded. Takes as long as the node takes to go through all
   * changes of the store since {@code from}.
   */
  public List<Change> historyAt(int node, String key, long from, long to) {
    return historyAt(node, key, from, to, Integer.MAX_VALUE);
  }

  /**
   * The same, or as many changes more than {@code atMost} as one answer of the node has, and then
   * no further ones.
   */
  public List<Change> historyAt(int node, String key, long from, long to, int atMost) {
    List<Change> changes = new ArrayList<>();
    Pb0.HistoryRequest.Builder wanted =
        Pb0.HistoryRequest.newBuilder()
            .setKey(ByteString.copyFrom(bytes(key)))
            .setFromHlc(from)
            .setToHlc(to);
    Pb0.HistoryResponse page;
    do {
      page =
          ask(node, definition.name(), Pb0.PastRequest.newBuilder().setHistory(wanted))
              .getHistory();
      page.getChangesList().forEach(change -> changes.add(change(change)));
      wanted.setFromHlc(page.getEndHlc());
    } while (page.hasEndHlc() && changes.size() <= atMost);
    return changes;
  }

  private static Change change(Pb0.PastChange write) {
    return new Change(
        write.getKey().toByteArray(),
        write.getHlc(),
        write.getBeforeList().stream().map(Versioned::fromProto).toList(),
        write.getAfterList().stream().map(Versioned::fromProto).toList(),
        write.getClient());
  }

  private Pb0.PastResponse ask(int node, String store, Pb0.PastRequest.Builder question) {
    Ask<Pb0.PastResponse> ask = Ask.past(store, question.build());
    return replicas.run(call -> Replicas.await(replicas.ask(node, ask, call)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
