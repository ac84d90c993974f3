package io.palinode.orchestrator.history;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.Watching;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The version of each predicate that nodes and the detection job report. Thread-safe. A restarted
 * node has none until its first report.
 */
public final class WatchedVersions {
  private final int nodes;
  private final Map<Integer, OfNode> ofNodes = new HashMap<>();
  private final Map<String, TreeMap<Integer, Long>> ofSubtasks = new HashMap<>();
  private int subtasks;

  public WatchedVersions(int nodes) {
    this.nodes = nodes;
  }

  private record OfNode(long incarnation, Map<String, Long> versions) {}

  /**
   * The versions of one predicate.
   *
   * @param ofNodes by node; nodes without a report are absent
   * @param ofJob the least of the job's subtasks; null: some have not reported
   */
  public record Versions(Map<Integer, Long> ofNodes, @Nullable Long ofJob) {}

  /** Reads any record of the control log. */
  public synchronized void read(ControlRecord record) {
    if (record.hasNodeJoined()) {
      ofNode(record.getNodeJoined().getNode(), record.getNodeJoined().getIncarnation());
    } else if (record.hasWatching()) {
      Watching watching = record.getWatching();
      OfNode node = ofNode(watching.getNode(), watching.getIncarnation());
      if (node.incarnation() == watching.getIncarnation()) {
        node.versions().put(watching.getPredicate(), watching.getVersion());
      }
    }
  }

  public synchronized void read(Detecting detecting) {
    if (detecting.getSubtasks() != subtasks) {
      // The job was restarted with another parallelism.
      ofSubtasks.clear();
      subtasks = detecting.getSubtasks();
    }
    ofSubtasks
        .computeIfAbsent(detecting.getPredicate(), name -> new TreeMap<>())
        .put(detecting.getSubtask(), detecting.getVersion());
  }

  public synchronized Versions of(String predicate) {
    TreeMap<Integer, Long> said = new TreeMap<>();
    ofNodes.forEach(
        (node, of) -> {
          Long version = of.versions().get(predicate);
          if (version != null && node < nodes) {
            said.put(node, version);
          }
        });
    TreeMap<Integer, Long> ofJob = ofSubtasks.getOrDefault(predicate, new TreeMap<>());
    boolean all = subtasks > 0 && ofJob.size() == subtasks;
    return new Versions(
        said, all ? ofJob.values().stream().min(Long::compare).orElseThrow() : null);
  }

  /** Whether every node and the whole job have this version. */
  public boolean isConverged(String predicate, long version) {
    Versions versions = of(predicate);
    Long ofJob = versions.ofJob();
    return ofJob != null
        && ofJob == version
        && versions.ofNodes().size() == nodes
        && versions.ofNodes().values().stream().allMatch(has -> has == version);
  }

  /** The versions of this incarnation. A newer incarnation drops those of an older one. */
  private OfNode ofNode(int node, long incarnation) {
    OfNode known = ofNodes.get(node);
    if (known == null || known.incarnation() < incarnation) {
      known = new OfNode(incarnation, new HashMap<>());
      ofNodes.put(node, known);
    }
    return known;
  }
}
