package io.palinode.store.affected;

import java.util.Map;

/**
 * The affected keys and clients.
 *
 * @param keys by key, the HLC up to which its writes stand
 * @param clients those that read or wrote something that is undone: by id, the HLC up to which
 *     their writes stand; all later writes are undone
 */
public record Affected(Map<Long, Long> keys, Map<String, Long> clients) implements Extent {
  public Affected {
    keys = Map.copyOf(keys);
    clients = Map.copyOf(clients);
  }
}
