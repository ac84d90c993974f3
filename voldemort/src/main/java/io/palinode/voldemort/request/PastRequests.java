package io.palinode.voldemort.request;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.hvc.Hlc;
import io.palinode.retroscope.OutOfReachException;
import io.palinode.retroscope.snapshot.DifferencePage;
import io.palinode.retroscope.snapshot.LocalSnapshots;
import io.palinode.retroscope.snapshot.Point;
import io.palinode.retroscope.snapshot.file.OpenSnapshot;
import io.palinode.retroscope.snapshot.file.SnapshotException;
import io.palinode.store.past.DiscardedWrites;
import io.palinode.store.past.KeyHistory;
import io.palinode.store.past.PastChange;
import io.palinode.voldemort.Caller;
import io.palinode.voldemort.NodeCounter;
import io.palinode.voldemort.NodeCounters;
import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.Reply;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.VoldemortRules;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Pb0;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the past, and gets of the past. The latter are fields that stock nodes
 * skip, so each response echoes the field. Snapshots can be read while the node is paused.
 */
final class PastRequests {
  private final StoreNode node;
  private final LocalSnapshots snapshots;

  PastRequests(StoreNode node, LocalSnapshots snapshots) {
    this.node = node;
    this.snapshots = snapshots;
  }

  static boolean isOfThePast(Pb0.GetRequest request) {
    return request.hasAsOf() || request.hasSnapshot();
  }

  /** Whether the question reads a window-log or a store. That of reach does not. */
  static boolean isBulk(Pb0.PastRequest request) {
    return switch (request.getQuestionCase()) {
      case DIFFERENCE, VERIFY, DISCARDED, HISTORY -> true;
      case REACH, QUESTION_NOT_SET -> false;
    };
  }

  /** Echoes the fields of the past, which shows that the node understood them. */
  static void echo(Pb0.GetRequest request, Pb0.GetResponse.Builder out) {
    if (request.hasAsOf()) {
      out.setAsOf(request.getAsOf());
    }
    if (request.hasSnapshot()) {
      out.setSnapshot(request.getSnapshot());
    }
  }

  Reply<List<Versioned>> versions(StoreKey key, Pb0.GetRequest request, Caller caller)
      throws RefusedException {
    if (request.hasAsOf()) {
      return node.reads().getAsOf(key, request.getAsOf(), caller);
    }
    byte[] record = refusing(() -> inSnapshot(key, request));
    return new Reply<>(versions(record), node.lastReading(), 0, node.fence().epoch());
  }

  private byte @Nullable [] inSnapshot(StoreKey key, Pb0.GetRequest request) {
    try (OpenSnapshot opened = snapshots.open(request.getSnapshot(), request.getSnapshotNumber())) {
      return opened.get(key.store(), key.key());
    }
  }

  /** The response, filled with the answer. */
  Pb0.PastResponse.Builder answer(VoldemortRequest request, Pb0.PastResponse.Builder out)
      throws RefusedException {
    String store = request.getStore();
    Pb0.PastRequest past = request.getPast();
    return switch (past.getQuestionCase()) {
      case DIFFERENCE -> out.setDifference(refusing(() -> difference(store, past.getDifference())));
      case VERIFY -> out.setVerify(verified(refusing(() -> snapshots.verify(past.getVerify()))));
      case REACH -> out.setReach(reach());
      case DISCARDED -> out.setDiscarded(refusing(() -> discarded(store, past.getDiscarded())));
      case HISTORY -> out.setHistory(refusing(() -> history(store, past.getHistory())));
      case QUESTION_NOT_SET ->
          throw node.admission()
              .refuse(ErrorCode.VOLDEMORT, "a request of this type needs its part 'past'");
    };
  }

  private static Pb0.VerifyResponse.Builder verified(LocalSnapshots.Verified found) {
    return Pb0.VerifyResponse.newBuilder()
        .setNumber(found.id().number())
        .setKeys(found.keys())
        .setChecksum(found.checksum());
  }

  private Pb0.ReachResponse.Builder reach() {
    return Pb0.ReachResponse.newBuilder()
        .setFromHlc(node.past().reach())
        .setExactFromHlc(node.reach())
        .setGranularityHlc(Hlc.ofMicros(node.past().granularity().toNanos() / 1_000))
        .setToHlc(node.clock().last().own())
        .setBytes(node.past().bytes())
        .setMemoryFromHlc(node.past().memoryReach())
        .setDiskBytes(node.past().diskBytes())
        .setDiskFailure(node.past().diskFailure())
        .setStockConnections(stockConnections(node.counters()))
        .setStockWrites(node.counters().get(NodeCounter.STOCK_WRITES));
  }

  /** The open connections. Reads the ended ones first, so that the result is never below 0. */
  private static long stockConnections(NodeCounters counters) {
    long ended = counters.get(NodeCounter.STOCK_CONNECTIONS_ENDED);
    return counters.get(NodeCounter.STOCK_CONNECTIONS) - ended;
  }

  private Pb0.DifferenceResponse difference(String store, Pb0.DifferenceRequest request) {
    byte[] behind = request.hasBehind() ? request.getBehind().toByteArray() : null;
    DifferencePage page =
        snapshots.difference(store, point(request.getBefore()), point(request.getAfter()), behind);
    Pb0.DifferenceResponse.Builder out = Pb0.DifferenceResponse.newBuilder();
    for (DifferencePage.Difference one : page.keys()) {
      Pb0.KeyDifference.Builder key =
          Pb0.KeyDifference.newBuilder().setKey(ByteString.copyFrom(one.key()));
      versions(one.before()).forEach(version -> key.addBefore(version.toProto()));
      versions(one.after()).forEach(version -> key.addAfter(version.toProto()));
      out.addKeys(key);
    }
    byte[] end = page.end();
    return (end == null ? out : out.setEnd(ByteString.copyFrom(end))).build();
  }

  private Pb0.DiscardedResponse discarded(String store, Pb0.DiscardedRequest request) {
    DiscardedWrites.Page page =
        node.past()
            .discarded(
                store,
                new DiscardedWrites.Range(
                    request.getFromHlc(), request.getToHlc(), request.getSettledHlc()),
                request.getBehind());
    Pb0.DiscardedResponse.Builder out = Pb0.DiscardedResponse.newBuilder();
    page.writes().forEach(one -> out.addWrites(proto(one)));
    Long end = page.end();
    return (end == null ? out : out.setEnd(end)).build();
  }

  private Pb0.HistoryResponse history(String store, Pb0.HistoryRequest request) {
    StoreKey key = new StoreKey(store, request.getKey().toByteArray());
    KeyHistory.Page page = node.past().history(key, request.getFromHlc(), request.getToHlc());
    Pb0.HistoryResponse.Builder out = Pb0.HistoryResponse.newBuilder();
    page.changes().forEach(one -> out.addChanges(proto(one)));
    Long end = page.end();
    return (end == null ? out : out.setEndHlc(end)).build();
  }

  private static Pb0.PastChange proto(PastChange one) {
    Pb0.PastChange.Builder change =
        Pb0.PastChange.newBuilder()
            .setKey(ByteString.copyFrom(one.key()))
            .setHlc(one.hlc())
            .setClient(one.client());
    one.before().forEach(version -> change.addBefore(proto(version)));
    one.after().forEach(version -> change.addAfter(proto(version)));
    return change.build();
  }

  private static Pb0.Versioned proto(Version version) {
    return VoldemortRules.versioned(version).toProto();
  }

  private static Point point(Pb0.PastPoint point) {
    return point.hasSnapshot()
        ? Point.ofSnapshot(point.getSnapshot(), point.getNumber())
        : Point.ofTime(point.getHlc());
  }

  private static List<Versioned> versions(byte @Nullable [] record) {
    return record == null ? List.of() : Siblings.decode(record);
  }

  private <T extends @Nullable Object> T refusing(Supplier<T> answer) throws RefusedException {
    try {
      return answer.get();
    } catch (OutOfReachException | SnapshotException | IllegalArgumentException e) {
      throw node.admission().refuse(ErrorCode.VOLDEMORT, String.valueOf(e.getMessage()));
    } catch (UncheckedIOException e) {
      throw node.admission().unreadPast(e);
    }
  }
}
