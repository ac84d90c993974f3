package io.palinode.voldemort.server;

import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where Voldemort's clients write who they are. In memory, small, of this node alone, and no part
 * of what is watched or taken back: a client writes it anew every 12 hours. Thread-safe.
 */
final class ClientRegistry {
  /** The oldest goes when there are more. */
  static final int CLIENTS_MAX = 4_096;

  /** Of a client with all its versions; usually some hundred. */
  static final int BYTES_MAX = 16 << 10;

  private final Map<ByteBuffer, List<Versioned>> versionsByClient =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, List<Versioned>> eldest) {
          return size() > CLIENTS_MAX;
        }
      };

  /** What became of a put. */
  enum Put {
    DONE,
    OBSOLETE,
    TOO_LARGE
  }

  synchronized List<Versioned> get(byte[] client) {
    return versionsByClient.getOrDefault(ByteBuffer.wrap(client), List.of());
  }

  synchronized Put put(byte[] client, Versioned added) {
    List<Versioned> left = Siblings.put(get(client), added);
    if (left == null) {
      return Put.OBSOLETE;
    }
    if (client.length + Siblings.encode(left).length > BYTES_MAX) {
      return Put.TOO_LARGE;
    }
    // Last in order again: the one that was silent longest goes first.
    versionsByClient.remove(ByteBuffer.wrap(client));
    versionsByClient.put(ByteBuffer.wrap(client), left);
    return Put.DONE;
  }

  /** Whether there was something to delete. */
  synchronized boolean delete(byte[] client, VectorClock upTo) {
    List<Versioned> stored = get(client);
    List<Versioned> left = Siblings.delete(stored, upTo);
    if (left.isEmpty()) {
      versionsByClient.remove(ByteBuffer.wrap(client));
    } else {
      versionsByClient.put(ByteBuffer.wrap(client), left);
    }
    return left.size() < stored.size();
  }
}
