package io.palinode.simulation.store;

import io.palinode.detector.binding.Version;
import io.palinode.simulation.check.VersionOrder;
import io.palinode.store.engine.StorageEngine;
import io.palinode.store.past.RecordRules;
import io.palinode.voldemort.protocol.VectorClock;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A store as the simulator runs it. */
public interface SimulatedStore {
  /** The name of its one store of keys. */
  String NAME = "store";

  /** Begins another incarnation of a node. Throws as {@link io.palinode.store.node.NodeParts}. */
  SimulatedNode open(int node, StorageEngine disk, LongSupplier epochMicros);

  /** The replicas of a key, the preferred one first. */
  List<Integer> replicas(String key);

  RecordRules rules();

  /** What the checks know of its versions. They do not use its rules. */
  VersionOrder order();

  /** The vector clock of a version; null if the store has none. */
  default @Nullable VectorClock clock(Version version) {
    return null;
  }

  /** The version of several that a client takes; null if there are none. */
  @Nullable Version resolve(List<Version> found);

  /**
   * A put of a value, or a delete without one.
   *
   * @param found what the client read before
   */
  Operation write(String key, @Nullable String value, List<Version> found, Writer writer);

  /** What nodes lack of what several have, by node. */
  List<MissingVersion> missing(Map<Integer, List<Version>> found);

  /**
   * The writer of a version.
   *
   * @param first the node that is to accept it first
   */
  record Writer(int client, int first, long micros) {}
}
