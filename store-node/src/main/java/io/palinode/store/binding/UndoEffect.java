package io.palinode.store.binding;

import java.util.List;
import java.util.Map;

/**
 * What an undo would change at one node.
 *
 * @param writes of clients, copies from other replicas included
 * @param keys that would get another value
 * @param bytes of keys and values that these writes replaced
 * @param ofReplicas both by the replicas of the keys, in the order of preference
 * @param clients ids of some of the {@code clientsTotal} clients that wrote and sent an id
 * @param clientsSince HLC since which writers are known
 */
public record UndoEffect(
    long writes,
    long keys,
    long bytes,
    Map<List<Integer>, Count> ofReplicas,
    List<String> clients,
    int clientsTotal,
    long clientsSince) {
  /** Of keys that have the same replicas. */
  public record Count(long writes, long keys) {
    public Count plus(long moreWrites, long moreKeys) {
      return new Count(writes + moreWrites, keys + moreKeys);
    }
  }

  public UndoEffect {
    ofReplicas = Map.copyOf(ofReplicas);
    clients = List.copyOf(clients);
  }
}
