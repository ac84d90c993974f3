package io.palinode.orchestrator.kafka.doctor;

import io.palinode.orchestrator.alert.AlertCounts;
import io.palinode.orchestrator.health.Finding;
import io.palinode.orchestrator.health.TopicFindings;
import io.palinode.orchestrator.health.UnjudgedOperations;
import io.palinode.orchestrator.history.WatchedVersions;
import io.palinode.orchestrator.policy.AbsentStores;
import io.palinode.orchestrator.policy.AppliedPredicate;
import io.palinode.wire.KafkaSettings;
import io.palinode.wire.Topics;
import io.palinode.wire.TopicsAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;

/** The findings about Kafka, predicates and alerts. */
public final class Examination {
  /** Less than clients of the API wait. */
  private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

  private Examination() {}

  /** Of Kafka and its topics; a fault if it does not answer within 5 s. */
  public static List<Finding> kafka(KafkaSettings kafka, Topics names) {
    try (TopicsAdmin admin = new TopicsAdmin(kafka, names, ANSWER_MAX)) {
      List<Integer> brokers = admin.brokers();
      List<Finding> found =
          new ArrayList<>(TopicFindings.of(names, admin.states(), brokers.size()));
      found.addAll(TopicFindings.disks(admin.disks(brokers)));
      return found;
    } catch (KafkaException e) {
      return List.of(
          Finding.fault(
              "kafka",
              "%s: %s".formatted(kafka.bootstrapServers(), e.getMessage()),
              "start the broker, or see its log and the rights of the orchestrator"));
    }
  }

  /** Of predicates that find nothing or that some part does not have yet, and of lost alerts. */
  public static List<Finding> others(
      List<AppliedPredicate> predicates,
      List<UnjudgedOperations> unjudged,
      WatchedVersions watched,
      Map<String, AlertCounts> destinations) {
    List<Finding> found = new ArrayList<>();
    for (AppliedPredicate predicate : predicates) {
      String part = "predicate " + predicate.name();
      AbsentStores absent = predicate.absent();
      if (absent != null) {
        found.add(Finding.fault(part, absent.what(), absent.wayOut()));
      }
      if (!watched.isConverged(predicate.name(), predicate.version())) {
        found.add(
            Finding.note(
                part,
                "not every node and the job have version " + predicate.version(),
                "wait some seconds; then see 'palinode get predicates'"));
      }
    }
    unjudged.forEach(each -> found.add(each.finding()));
    destinations.forEach(
        (destination, counts) -> {
          long lost = counts.failed() + counts.dropped();
          if (lost > 0) {
            found.add(
                Finding.fault(
                    "alerts",
                    "%d to %s were not delivered since the start".formatted(lost, destination),
                    "run 'palinode alert test'; the orchestrator's log has them"));
          }
        });
    return found;
  }
}
