package io.palinode.detector.affected;

import java.util.Map;

/**
 * Some keys, and some clients.
 *
 * @param keys by key, the HLC up to which its writes stand
 * @param clients those who saw something that is undone, or wrote it: by name, the HLC up to which
 *     what each of them wrote stands; all that it wrote later is undone
 */
public record Affected(Map<Long, Long> keys, Map<String, Long> clients) implements Extent {
  public Affected {
    keys = Map.copyOf(keys);
    clients = Map.copyOf(clients);
  }
}
