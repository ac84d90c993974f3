package io.palinode.orchestrator.health;

import io.palinode.orchestrator.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Examines a whole cluster from what the orchestrator knows. Pure. Each standing wait of {@link
 * Judgement} is a fault, so that {@code doctor} and {@code status} agree. While Kafka does not
 * answer, nothing that follows from the lack of records is a finding.
 */
public final class Doctor {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private Doctor() {}

  /**
   * What is known at one time.
   *
   * @param kafka of Kafka and its topics
   * @param versions of each part by its name, as {@link Versions#shown}
   * @param nodes all nodes that have joined
   * @param reported of the nodes' reports: clocks and disks
   * @param others further findings, such as of alerts and predicates
   */
  public record Known(
      Status status,
      Judgement judgement,
      Map<String, String> versions,
      List<NodeStatus> nodes,
      List<Finding> kafka,
      List<Finding> reported,
      List<Finding> others) {}

  public static List<Finding> examine(Known known) {
    List<Finding> findings = new ArrayList<>();
    if (known.judgement().waits().stream().anyMatch(Doctor::isOfKafka)) {
      findings.addAll(silent(known));
    } else {
      findings.addAll(orchestrator(known.status()));
      findings.addAll(known.kafka());
      findings.addAll(job(known.judgement()));
      findings.addAll(nodes(known));
      findings.addAll(reported(known));
      known.judgement().standing().forEach(wait -> findings.add(wait(wait, known.judgement())));
    }
    findings.addAll(coverage(known.status()));
    known
        .status()
        .open()
        .forEach(open -> findings.add(Finding.note("security", open, "set users and TLS")));
    findings.addAll(known.others());
    findings.add(Versions.finding(known.versions()));
    return findings;
  }

  private static boolean isOfKafka(Wait wait) {
    return wait.reason() == Wait.Reason.KAFKA;
  }

  /** Without the node and job findings: they would be about records that cannot arrive. */
  private static List<Finding> silent(Known known) {
    Judgement judgement = known.judgement();
    List<Finding> findings =
        new ArrayList<>(
            known.kafka().stream()
                .filter(finding -> finding.level() == Finding.Level.FAULT)
                .toList());
    if (findings.isEmpty()) {
      judgement.waits().stream()
          .filter(Doctor::isOfKafka)
          .forEach(wait -> findings.add(wait(wait, judgement)));
    }
    findings.add(
        Finding.note(
            "kafka",
            "until it answers, the state of the detection job, nodes, disks and clocks is unknown",
            "run 'palinode doctor' again then"));
    String failure = known.status().failure();
    if (failure != null) {
      findings.add(failed(failure));
    }
    judgement
        .standing()
        .filter(wait -> !isOfKafka(wait))
        .forEach(wait -> findings.add(wait(wait, judgement)));
    return findings;
  }

  private static Finding failed(String failure) {
    return Finding.fault("orchestrator", failure, "see its log, then start it again");
  }

  private static List<Finding> orchestrator(Status status) {
    List<Finding> faults = new ArrayList<>();
    if (status.failure() != null) {
      faults.add(failed(status.failure()));
    }
    if (status.trouble() != null) {
      faults.add(
          Finding.fault("orchestrator", status.trouble(), "see docs/how-to/handle-a-fault.md"));
    }
    return faults.isEmpty()
        ? List.of(Finding.ok("orchestrator", "works, epoch " + status.epoch()))
        : faults;
  }

  private static List<Finding> job(Judgement judgement) {
    boolean isSilent = judgement.standing().anyMatch(wait -> wait.reason() == Wait.Reason.JOB);
    if (isSilent) {
      return List.of();
    }
    return List.of(
        judgement.publishedMicros() == 0
            ? Finding.note(
                "detection", "has published nothing yet", "start 'palinode run detection'")
            : Finding.ok(
                "detection",
                "published %d s ago"
                    .formatted(
                        Math.max(0, judgement.atMicros() - judgement.publishedMicros())
                            / MICROS_PER_SECOND)));
  }

  private static List<Finding> nodes(Known known) {
    List<Finding> findings = new ArrayList<>();
    Set<Integer> absent = new HashSet<>();
    for (int node = 0; node < known.status().nodes(); node++) {
      absent.add(node);
    }
    Set<String> silent = silentNodes(known.judgement());
    for (NodeStatus node : known.nodes()) {
      absent.remove(node.node());
      String part = "node " + node.node();
      if (silent.contains(part) && node.watchedOnly().isEmpty()) {
        continue;
      }
      findings.add(
          node.watchedOnly().isEmpty()
              ? Finding.ok(part, "joined, incarnation " + node.incarnation())
              : Finding.note(part, node.watchedOnly(), "roll back without this node by hand"));
    }
    absent.forEach(
        node ->
            findings.add(
                Finding.fault(
                    "node " + node,
                    "has never joined",
                    "start it with 'palinode run node', and see its log")));
    return findings;
  }

  /** Without what a silent node reported last, and without its silence, which is a wait. */
  private static List<Finding> reported(Known known) {
    Set<String> silent = silentNodes(known.judgement());
    return known.reported().stream()
        .filter(
            finding ->
                !silent.contains(finding.part())
                    || (finding.level() == Finding.Level.FAULT
                        && !finding.what().startsWith(NodeReports.NOT_REPORTED)))
        .toList();
  }

  /** The parts that publish nothing. */
  private static Set<String> silentNodes(Judgement judgement) {
    return judgement
        .standing()
        .filter(wait -> wait.reason() == Wait.Reason.NODE)
        .map(wait -> "node " + wait.node())
        .collect(Collectors.toSet());
  }

  private static Finding wait(Wait wait, Judgement judgement) {
    String part = wait.node() == null ? wait.reason().label() : "node " + wait.node();
    return Finding.fault(
        part,
        "%s, for %d s"
            .formatted(wait.whatOfNode(), wait.micros(judgement.atMicros()) / MICROS_PER_SECOND),
        wait.wayOut());
  }

  private static List<Finding> coverage(Status status) {
    return Stream.of(status)
        .filter(of -> of.losses() > 0)
        .map(
            of ->
                Finding.fault(
                    "coverage",
                    "%d coverage gaps are not acknowledged".formatted(of.losses()),
                    "run 'palinode acknowledge'"))
        .toList();
  }
}
