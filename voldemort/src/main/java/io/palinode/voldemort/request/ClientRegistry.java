package io.palinode.voldemort.request;

import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The records that Voldemort's clients write about themselves. Small, in memory of this node only,
 * neither watched nor restored: a client writes its record again every 12 hours. Thread-safe.
 */
final class ClientRegistry {
  /** Above this, the oldest record is removed. */
  static final int CLIENTS_MAX = 4_096;

  /** The bytes of a client with all its versions; usually a few hundred. */
  static final int BYTES_MAX = 16 << 10;

  private final Map<ByteBuffer, List<Versioned>> versionsByClient =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, List<Versioned>> eldest) {
          return size() > CLIENTS_MAX;
        }
      };

  /** The result of a put. */
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
    // Last in order again: the record with the oldest write is removed first.
    versionsByClient.remove(ByteBuffer.wrap(client));
    versionsByClient.put(ByteBuffer.wrap(client), left);
    return Put.DONE;
  }

  /** Whether a version was deleted. */
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
