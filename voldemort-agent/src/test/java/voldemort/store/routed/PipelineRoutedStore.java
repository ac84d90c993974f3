package voldemort.store.routed;

import io.palinode.agent.client.StandInStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import voldemort.store.Store;
import voldemort.store.UnreachableStoreException;
import voldemort.store.socket.clientrequest.ClientRequestExecutorPool.AsyncSocketDestinationRequest;
import voldemort.store.socket.clientrequest.NonblockingStoreCallbackClientRequest;
import voldemort.store.socket.clientrequest.ProtocolNegotiatorClientRequest;
import voldemort.utils.ByteArray;
import voldemort.versioning.ObsoleteVersionException;
import voldemort.versioning.Version;
import voldemort.versioning.Versioned;

/** Shaped like Voldemort's class of this name, where it matters; written for tests. */
public class PipelineRoutedStore implements Store<ByteArray, byte[], byte[]>, StandInStore {
  private final String name;

  /** Read by its name. */
  public final Object failureDetector;

  private final List<UnaryOperator<byte[]>> nodes;
  private final boolean pb0;
  private NodeRequest lastCopy;
  private Runnable meanwhile = () -> {};

  public PipelineRoutedStore(
      String name, Object failureDetector, List<UnaryOperator<byte[]>> nodes, boolean pb0) {
    this.name = name;
    this.failureDetector = failureDetector;
    this.nodes = nodes;
    this.pb0 = pb0;
  }

  @Override
  public String getName() {
    return name;
  }

  public List<String> get(ByteArray key, byte[] transforms, long timeoutMs) {
    meanwhile.run();
    return List.of(new NodeRequest("get " + text(key), pb0).ask(nodes.get(0)));
  }

  public List<String> getAll(Iterable<ByteArray> keys, Map<?, ?> transforms, long timeoutMs) {
    List<String> all = new ArrayList<>();
    keys.forEach(key -> all.addAll(get(key, null, timeoutMs)));
    return all;
  }

  public List<String> getVersions(ByteArray key) {
    return List.of(new NodeRequest("versions " + text(key), pb0).ask(nodes.get(0)));
  }

  /**
   * To the first node, then to the others: a newer version there is as good, and for a node that is
   * away a hint is left.
   */
  public void put(ByteArray key, Versioned<?> versioned, byte[] transforms, long timeoutMs) {
    String unused = new NodeRequest("put " + text(key), pb0).ask(nodes.get(0));
    for (UnaryOperator<byte[]> node : nodes.subList(1, nodes.size())) {
      lastCopy = new NodeRequest("copy " + text(key), pb0);
      if (!isTaken(lastCopy, node)) {
        String unusedHint = new NodeRequest("hint " + text(key), pb0).ask(nodes.get(0));
      }
    }
  }

  private static boolean isTaken(NodeRequest copy, UnaryOperator<byte[]> node) {
    try {
      String unused = copy.ask(node);
      return true;
    } catch (ObsoleteVersionException newer) {
      return true;
    } catch (UnreachableStoreException away) {
      return false;
    }
  }

  boolean delete(ByteArray key, Version version, long timeoutMs) {
    nodes.forEach(node -> new NodeRequest("delete " + text(key), pb0).ask(node));
    return true;
  }

  /** The last copy is given up, on a thread of the client, which then leaves a hint. */
  @Override
  public void copyTimesOut() {
    NodeRequest gone = Objects.requireNonNull(lastCopy);
    new NonblockingStoreCallbackClientRequest(gone, this::leaveHint).timeOut();
  }

  @Override
  public void copyIsNotSent(Runnable other) {
    NodeRequest gone = Objects.requireNonNull(lastCopy);
    new AsyncSocketDestinationRequest(
            gone,
            () -> {
              other.run();
              leaveHint();
            })
        .handleTimeout();
  }

  private void leaveHint() {
    String unused = new NodeRequest("hint", pb0).ask(nodes.get(0));
  }

  @Override
  public void get(String key) {
    List<String> unused = get(key(key), null, 0);
  }

  @Override
  public void getWhile(String key, Runnable other) {
    meanwhile = other;
    get(key);
    meanwhile = () -> {};
  }

  @Override
  public void getAndRepair(String key, int readAt) {
    getWhile(key, () -> repair(key, readAt));
  }

  private void repair(String key, int readAt) {
    List<NodeValue<ByteArray, String>> values = new ArrayList<>();
    for (int node = 0; node < nodes.size(); node++) {
      String value = node == readAt ? "v" : null;
      values.add(new NodeValue<>(node, key(key), new Versioned<>(value, null)));
    }
    for (NodeValue<?, ?> repair : new ReadRepairer<ByteArray, String>().getRepairs(values)) {
      NodeRequest put = new NodeRequest("put " + key, pb0);
      // No connection is free, so this thread begins to open one before the next is made.
      Object unusedRequest = new ProtocolNegotiatorClientRequest();
      String unused = put.ask(nodes.get(repair.getNodeId()));
    }
  }

  @Override
  public void getAll(String key) {
    List<String> unused = getAll(List.of(key(key)), Map.of(), 0);
  }

  @Override
  public void getVersions(String key) {
    List<String> unused = getVersions(key(key));
  }

  @Override
  public void put(String key) {
    put(key(key), null, null, 0);
  }

  @Override
  public void delete(String key) {
    boolean unused = delete(key(key), null, 0);
  }

  private static ByteArray key(String text) {
    return new ByteArray(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(ByteArray key) {
    return new String(key.get(), StandardCharsets.UTF_8);
  }
}
