package io.palinode.detector.ring;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.Evidence;
import io.palinode.detector.binding.SeenBefore;
import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Unseen;
import io.palinode.detector.binding.Version;
import io.palinode.detector.ring.Emission.Closed;
import io.palinode.detector.ring.Emission.Gap;
import io.palinode.detector.ring.Emission.KeyState;
import io.palinode.detector.ring.Emission.Opened;
import io.palinode.detector.ring.Emission.Progress;
import io.palinode.detector.terms.ActivePredicate;
import io.palinode.detector.terms.Holding;
import io.palinode.detector.terms.OpenInterval;
import io.palinode.detector.terms.WatchedTerm;
import io.palinode.predicate.template.Binding;
import io.palinode.wire.CandidateRecords;
import io.palinode.wire.v1.CandidateRecord;
import io.palinode.wire.v1.IntervalRef;
import io.palinode.wire.v1.Searched;
import io.palinode.wire.v1.VariableVersion;
import io.palinode.wire.v1.VersionRole;
import java.nio.charset.StandardCharsets;

/** Emissions of one node, in one incarnation, as records of the candidates topic. Pure. */
public record CandidateEncoder(int node, long incarnation) {

  public CandidateRecord opened(Opened opened) {
    OpenInterval interval = opened.interval();
    var message =
        io.palinode.wire.v1.Opened.newBuilder()
            .setInterval(refOf(interval.holding()))
            .setStart(CandidateRecords.encode(interval.start()))
            .setWriter(interval.source().writer());
    for (Version version : opened.values()) {
      message.addValues(versionOf(interval.key(), version));
    }
    Evidence evidence = interval.holding().evidence();
    if (evidence instanceof Unseen unseen) {
      addUnseen(interval.key(), unseen, message);
    } else if (evidence instanceof SeenBefore before) {
      VersionRole role = before.isWritten() ? VersionRole.WRITTEN : VersionRole.READ;
      message.addValues(versionOf(interval.key(), before.version()).toBuilder().setRole(role));
    }
    if (interval.source().origin() != null) {
      message.setOrigin(interval.source().origin());
    }
    if (interval.source().isFound()) {
      message.setFound(true);
    }
    return event(opened).setOpened(message).build();
  }

  private static void addUnseen(
      StoreKey key, Unseen unseen, io.palinode.wire.v1.Opened.Builder message) {
    for (Version version : unseen.lost()) {
      message.addValues(versionOf(key, version).toBuilder().setRole(VersionRole.LOST));
    }
    for (byte[] clock : unseen.seen()) {
      message.addValues(keyOf(key).setClock(ByteString.copyFrom(clock)).setRole(VersionRole.SEEN));
    }
  }

  public CandidateRecord keyState(KeyState state) {
    var message =
        io.palinode.wire.v1.Opened.newBuilder()
            .setInterval(refOf(state.match().term(), state.match().byKey()))
            .setStart(CandidateRecords.encode(state.start()))
            .setWriter(state.source().writer())
            .setDigest(state.digest())
            .addAllReplicas(state.replicas());
    for (Version version : state.siblings()) {
      message.addValues(versionOf(state.key(), version));
    }
    if (state.siblings().isEmpty()) {
      // Without a version: it is absent.
      message.addValues(keyOf(state.key()));
    }
    if (state.source().origin() != null) {
      message.setOrigin(state.source().origin());
    }
    return event(state).setOpened(message).build();
  }

  public CandidateRecord closed(Closed closed) {
    OpenInterval interval = closed.interval();
    var message =
        io.palinode.wire.v1.Closed.newBuilder()
            .setInterval(refOf(interval.holding()))
            .setOpenedSequence(interval.sequence())
            .setStart(CandidateRecords.encode(interval.start()))
            .setEnd(CandidateRecords.encode(closed.end()))
            .setOpenedBy(versionOf(interval.key(), interval.holding().version()))
            .setWriter(closed.writer());
    if (closed.endedBy() != null) {
      message.setEndedBy(versionOf(interval.key(), closed.endedBy()));
    }
    if (closed.origin() != null) {
      message.setOrigin(closed.origin());
    }
    return event(closed).setClosed(message).build();
  }

  /** The sequence of a gap's record is the last that was lost. */
  public CandidateRecord gap(Gap gap) {
    return record(gap.epoch(), gap.lastSequence())
        .setGap(
            io.palinode.wire.v1.Gap.newBuilder()
                .setFirstSequence(gap.firstSequence())
                .setLastSequence(gap.lastSequence())
                .setFromHlc(gap.fromHlc())
                .setToHlc(gap.toHlc()))
        .build();
  }

  /** The progress record for one partition. */
  public CandidateRecord progress(Progress progress, int partition) {
    var message =
        io.palinode.wire.v1.Progress.newBuilder().setHvc(CandidateRecords.encode(progress.hvc()));
    for (ActivePredicate predicate : progress.searched()) {
      Searched searched =
          Searched.newBuilder()
              .setPredicate(predicate.name())
              .setVersion(predicate.version())
              .build();
      var unused =
          predicate.comparesReplicas() ? message.addSearched(searched) : message.addWhole(searched);
    }
    return record(progress.epoch(), progress.sequences().get(partition))
        .setProgress(message)
        .build();
  }

  /** The record for one partition that ends the incarnation. */
  public CandidateRecord stopped(Progress last, int partition) {
    return record(last.epoch(), last.sequences().get(partition))
        .setStopped(
            io.palinode.wire.v1.Stopped.newBuilder().setHvc(CandidateRecords.encode(last.hvc())))
        .build();
  }

  /** No event: the node publishes no progress, for its disk refuses its clock promise. */
  public CandidateRecord unpromised(long sinceMicros) {
    return record(0, 0).setUnpromisedSinceMicros(sinceMicros).build();
  }

  static IntervalRef refOf(Holding holding) {
    return refOf(holding.term(), holding.binding());
  }

  private static IntervalRef refOf(WatchedTerm term, Binding binding) {
    IntervalRef.Builder ref =
        IntervalRef.newBuilder()
            .setPredicate(term.predicate())
            .setPredicateVersion(term.version())
            .setBinding(term.instance(binding).toString())
            .setClause(term.clause())
            .setTerm(term.index());
    String member = term.member(binding).toString();
    return (member.isEmpty() ? ref : ref.setMember(member)).build();
  }

  /** As part of a cut: with the value, if it is a variable of a sum. */
  public static IntervalRef onCut(Holding holding) {
    IntervalRef ref = refOf(holding);
    return holding.term().isAmount()
        ? IntervalRef.newBuilder(ref)
            .setAmount(new String(holding.version().value(), StandardCharsets.UTF_8).strip())
            .build()
        : ref;
  }

  private CandidateRecord.Builder event(Emission.Event event) {
    return record(event.epoch(), event.sequence());
  }

  private CandidateRecord.Builder record(long epoch, long sequence) {
    return CandidateRecord.newBuilder()
        .setNode(node)
        .setIncarnation(incarnation)
        .setEpoch(epoch)
        .setSequence(sequence);
  }

  private static VariableVersion.Builder keyOf(StoreKey key) {
    return VariableVersion.newBuilder()
        .setStore(key.store())
        .setKey(ByteString.copyFrom(key.key()));
  }

  private static VariableVersion versionOf(StoreKey key, Version version) {
    VariableVersion.Builder message =
        keyOf(key)
            .setValue(ByteString.copyFrom(version.value()))
            .setClock(ByteString.copyFrom(version.clock()))
            .setTimestampMs(version.timestampMs());
    if (!version.isWhole()) {
      message.setValueBytes(version.valueBytes());
    }
    return message.build();
  }
}
