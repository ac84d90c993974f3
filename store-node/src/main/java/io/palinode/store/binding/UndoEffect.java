package io.palinode.store.binding;

import java.util.List;

/**
 * What an undo would change at one node.
 *
 * @param writes of clients, copies from other replicas included
 * @param keys that would get another value
 * @param bytes of keys and values that these writes replaced
 * @param firstWrites of keys of which this node is the first replica; {@code firstKeys} counts
 *     those keys
 * @param clients ids of some of the {@code clientsTotal} clients that wrote and sent an id
 * @param clientsSince HLC since which writers are known
 */
public record UndoEffect(
    long writes,
    long keys,
    long bytes,
    long firstWrites,
    long firstKeys,
    List<String> clients,
    int clientsTotal,
    long clientsSince) {
  public UndoEffect {
    clients = List.copyOf(clients);
  }
}
