package io.palinode.orchestrator.history;

import io.palinode.wire.v1.ControlRecord;
import io.palinode.wire.v1.Detecting;
import io.palinode.wire.v1.Watching;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which version of each predicate the nodes and the detection job say that they have. A node that
 * was started anew has none until it says so. Thread-safe.
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
   * Who has which version.
   *
   * @param ofNodes by node; those that have said nothing of the predicate are not there
   * @param ofJob the least of the job's subtasks; null until all have said something
   */
  public record Versions(Map<Integer, Long> ofNodes, @Nullable Long ofJob) {}

  /** Any record of the control log. */
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
      // The job was started with another parallelism.
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

  /** What an older incarnation said counts no more. */
  private OfNode ofNode(int node, long incarnation) {
    OfNode known = ofNodes.get(node);
    if (known == null || known.incarnation() < incarnation) {
      known = new OfNode(incarnation, new HashMap<>());
      ofNodes.put(node, known);
    }
    return known;
  }
}
