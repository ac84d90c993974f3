package io.palinode.simulation.job;

import com.google.protobuf.InvalidProtocolBufferException;
import io.palinode.detection.DetectionSpec;
import io.palinode.monitor.Channel;
import io.palinode.monitor.Notice;
import io.palinode.monitor.Search;
import io.palinode.monitor.instance.Instance;
import io.palinode.monitor.instance.MissedSpans;
import io.palinode.wire.v1.CoverageLost;
import java.util.HashMap;
import java.util.Map;

/** Since when nodes have published what holds, and what was missed; as the job's books keep it. */
final class KnownAnswers {
  private final Map<Channel, Search> searches = new HashMap<>();
  private final Map<Channel, MissedSpans> missed = new HashMap<>();

  KnownAnswers() {}

  private KnownAnswers(KnownAnswers other) {
    searches.putAll(other.searches);
    missed.putAll(other.missed);
  }

  KnownAnswers copy() {
    return new KnownAnswers(this);
  }

  void lost(Notice notice) {
    try {
      CoverageLost loss = CoverageLost.parseFrom(notice.body());
      Channel channel = notice.sender().channel();
      MissedSpans known = missed.getOrDefault(channel, MissedSpans.NONE);
      missed.put(channel, known.missed(loss.getFromHlc(), loss.getToHlc()));
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a loss must be readable", e);
    }
  }

  void whole(Notice notice) {
    Search search = Search.of(notice);
    searches.merge(
        search.sender().channel(), search, (known, more) -> more.isNewerThan(known) ? more : known);
    missed.computeIfPresent(
        search.sender().channel(), (channel, spans) -> spans.published(search.at().own()));
  }

  /** Passes on what concerns the instance. */
  void pass(Instance instance, DetectionSpec spec, long hlc) {
    searches.values().stream()
        .filter(
            search ->
                search.sender().channel().partition() == instance.partition()
                    && search.version() == instance.predicateVersion()
                    && search.sender().epoch() == instance.epoch()
                    && search.at().own() <= hlc)
        .forEach(instance::searched);
    missed.forEach(
        (channel, spans) -> {
          if (channel.partition() == instance.partition()) {
            spans.pass(channel.node(), instance, spec, hlc);
          }
        });
  }
}
