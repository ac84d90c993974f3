package io.palinode.demo;

import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the store says in the end: the newest version among all replicas. */
final class FinalAnswer {
  private final Store store;
  private final int nodes;

  FinalAnswer(Store store, int nodes) {
    this.store = store;
    this.nodes = nodes;
  }

  @Nullable String read(String key) {
    List<Versioned> versions = List.of();
    for (int node = 0; node < nodes; node++) {
      versions = Siblings.merge(versions, store.versionsAt(node, key));
    }
    Versioned newest = Siblings.resolve(versions);
    return newest == null ? null : new String(newest.value(), StandardCharsets.UTF_8);
  }
}
