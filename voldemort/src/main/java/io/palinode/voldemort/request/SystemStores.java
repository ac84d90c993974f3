package io.palinode.voldemort.request;

import io.palinode.voldemort.RefusedException;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.VectorClock;
import io.palinode.voldemort.protocol.Versioned;
import java.util.List;

/**
 * The stores that every client knows: metadata, and Voldemort's own. They are served while the node
 * is paused, since clients must bootstrap. They are neither watched nor stamped nor restored.
 * Thread-safe.
 */
final class SystemStores {
  static final String METADATA_VERSIONS = "voldsys$_metadata_version_persistence";
  static final String CLIENT_REGISTRY = "voldsys$_client_registry";

  /** A store that is always empty. */
  static final String QUOTAS = "voldsys$_store_quotas";

  private final StoreNode node;
  private final ClusterMetadata metadata;
  private final ClientRegistry registry = new ClientRegistry();

  SystemStores(StoreNode node) {
    this.node = node;
    this.metadata = new ClusterMetadata(node.config());
  }

  static boolean has(String store) {
    return switch (store) {
      case StoreNode.METADATA, METADATA_VERSIONS, CLIENT_REGISTRY, QUOTAS -> true;
      default -> false;
    };
  }

  List<Versioned> get(String store, byte[] key) throws RefusedException {
    return switch (store) {
      case CLIENT_REGISTRY -> registry.get(key);
      case METADATA_VERSIONS -> metadata.versions(key);
      case StoreNode.METADATA -> List.of(metadata(key));
      default -> List.of();
    };
  }

  private Versioned metadata(byte[] key) throws RefusedException {
    Versioned value = metadata.get(key);
    if (value == null) {
      throw node.admission()
          .refuse(ErrorCode.STORE_NOT_FOUND, "neither a key of metadata nor a store of this node");
    }
    return value;
  }

  boolean put(String store, byte[] key, Versioned added) throws RefusedException {
    if (!store.equals(CLIENT_REGISTRY)) {
      throw node.admission()
          .refuse(ErrorCode.UNSUPPORTED_OPERATION, "store " + store + " is not written by clients");
    }
    return switch (registry.put(key, added)) {
      case DONE -> true;
      case OBSOLETE -> throw node.admission().obsolete(added);
      case TOO_LARGE ->
          throw node.admission()
              .refuse(
                  ErrorCode.VOLDEMORT,
                  "a client's record in the registry must be at most "
                      + ClientRegistry.BYTES_MAX
                      + " bytes");
    };
  }

  boolean delete(String store, byte[] key, VectorClock upTo) throws RefusedException {
    if (!store.equals(CLIENT_REGISTRY)) {
      throw node.admission()
          .refuse(ErrorCode.VOLDEMORT, "store " + store + " is not written by clients");
    }
    return registry.delete(key, upTo);
  }
}
