package io.palinode.launcher;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.orchestrator.request.RefusedException;
import io.palinode.orchestrator.rest.past.PastBackend;
import io.palinode.orchestrator.rest.past.RollbackSpan;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.past.KeyDifferences;
import io.palinode.voldemort.client.past.KeyPattern;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.RolledBackException;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the past of Palinode's store nodes, over a connection for each question. Thread-safe. */
public final class PastReads implements PastBackend {
  private static final String CLIENT = "palinode-api";
  private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

  private final ClientConfig config;

  /**
   * @param config of the nodes, with the credentials to read the stores
   */
  public PastReads(ClientConfig config) {
    this.config = config.withRequestTimeout(ANSWER_MAX);
  }

  /** Of nodes in clear text. Throws {@link IllegalArgumentException} for what is no address. */
  public static PastReads of(List<String> addresses) {
    return new PastReads(ClientConfig.of(addresses, CLIENT));
  }

  @Override
  public List<Reach> reach() throws RefusedException {
    return ask(
        client -> {
          PastStore past = client.store(client.stores().get(0).name()).past();
          return client.cluster().nodes().stream()
              .map(Node::id)
              .map(id -> reach(past, id))
              .toList();
        });
  }

  private static Reach reach(PastStore past, int node) {
    try {
      return new Reach(node, Hlc.format(past.reachAt(node).from()), null);
    } catch (NodeException e) {
      return new Reach(node, null, e.reason());
    }
  }

  @Override
  public Value value(String store, String key, long hlc) throws RefusedException {
    return ask(
        client -> {
          PastStore past = client.store(store).past();
          long at = past.floor(hlc);
          return new Value(store, key, Hlc.format(at), past.getAt(key, at));
        });
  }

  @Override
  public Differences differences(String store, long from, long to, String pattern)
      throws RefusedException {
    Pattern keys = KeyPattern.of(pattern);
    return ask(
        client -> {
          Store read = client.store(store);
          long before = read.past().floor(from);
          long after = read.past().floor(to);
          List<Integer> nodes = client.cluster().nodes().stream().map(Node::id).toList();
          return page(
              store,
              before,
              after,
              new KeyDifferences(
                  read, new PastStore.Point(null, before), new PastStore.Point(null, after), nodes),
              keys);
        });
  }

  private static Differences page(
      String store, long from, long to, KeyDifferences all, Pattern keys) {
    List<Difference> page = new ArrayList<>();
    long chars = 0;
    KeyDifferences.Merged next = all.next();
    while (next != null && page.size() < KEYS_MAX && chars < CHARS_MAX) {
      if (keys.matcher(next.key()).matches()) {
        page.add(new Difference(next.key(), next.before(), next.after(), next.nodes()));
        chars += next.key().length() + length(next.before()) + length(next.after());
      }
      next = all.next();
    }
    return new Differences(store, Hlc.format(from), Hlc.format(to), next == null, page);
  }

  @Override
  public History history(HistoryQuestion question, LongFunction<List<RollbackSpan>> rollbacks)
      throws RefusedException {
    return ask(client -> history(client, question, rollbacks));
  }

  private static History history(
      StoreClient client, HistoryQuestion question, LongFunction<List<RollbackSpan>> rollbacks) {
    PastStore past = client.store(question.store()).past();
    List<Integer> nodes = client.cluster().nodes().stream().map(Node::id).toList();
    Span span = question.span();
    long from = span.from() == null ? Math.min(span.to(), reach(past, nodes)) : span.from();
    Map<Integer, List<PastStore.Change>> changes = new TreeMap<>();
    List<Missing> missing = new ArrayList<>();
    for (int node : nodes) {
      try {
        changes.put(node, changes(past, node, question, from));
      } catch (NodeException e) {
        missing.add(new Missing(node, e.reason()));
      }
    }
    List<WriteHistory.Write> earlier =
        WriteHistory.of(changes, rollbacks.apply(from)).stream()
            .filter(write -> write.hlc() < span.before())
            .sorted(Comparator.comparingLong(WriteHistory.Write::hlc).reversed())
            .toList();
    List<WriteHistory.Write> page = page(earlier, question.limit());
    return new History(
        question.store(),
        question.key(),
        Hlc.format(from),
        Hlc.format(span.to()),
        page.size() == earlier.size() ? null : Hlc.format(page.get(page.size() - 1).hlc()),
        page.stream().map(PastReads::shown).toList(),
        missing);
  }

  /** From here on all nodes that answer have every change. */
  private static long reach(PastStore past, List<Integer> nodes) {
    long reach = 0;
    for (int node : nodes) {
      try {
        reach = Math.max(reach, past.reachAt(node).exact().from());
      } catch (NodeException unanswered) {
        // The question about the changes fails too, and is reported.
      }
    }
    return reach;
  }

  private static List<PastStore.Change> changes(
      PastStore past, int node, HistoryQuestion question, long from) {
    List<PastStore.Change> changes =
        past.historyAt(node, question.key(), from, question.span().to(), CHANGES_MAX);
    if (changes.size() > CHANGES_MAX) {
      throw new IllegalArgumentException(
          "node %d has more than %d changes of '%s' after %s: ask for a shorter time"
              .formatted(node, CHANGES_MAX, question.key(), PointInTime.format(from)));
    }
    return changes;
  }

  /** Writes at the same HLC are on one page, whose last HLC names the next one. */
  private static List<WriteHistory.Write> page(List<WriteHistory.Write> writes, int limit) {
    int end = 0;
    long chars = 0;
    while (end < writes.size()
        && ((end < limit && chars < CHARS_MAX)
            || writes.get(end).hlc() == writes.get(end - 1).hlc())) {
      chars += length(writes.get(end).value());
      end++;
    }
    return writes.subList(0, end);
  }

  private static KeyWrite shown(WriteHistory.Write write) {
    return new KeyWrite(
        Hlc.format(write.hlc()),
        write.epoch(),
        write.value(),
        write.client().isEmpty() ? null : write.client(),
        List.copyOf(write.nodes()),
        write.state().name().toLowerCase(Locale.ROOT),
        write.undoneBy());
  }

  private static long length(@Nullable String value) {
    return value == null ? 0 : value.length();
  }

  private <T> T ask(Function<StoreClient, T> question) throws RefusedException {
    try (StoreClient client = StoreClient.connect(config)) {
      return question.apply(client);
    } catch (StoreException | IllegalArgumentException e) {
      throw new RefusedException("the store nodes: " + e.getMessage());
    } catch (RolledBackException e) {
      throw new RefusedException("a rollback came meanwhile: ask again");
    }
  }
}
