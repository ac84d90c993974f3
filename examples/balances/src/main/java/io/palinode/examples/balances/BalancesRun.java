package io.palinode.examples.balances;

import io.palinode.examples.graph.net.HeldLinks;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.Node;
import io.palinode.voldemort.protocol.Siblings;
import io.palinode.voldemort.protocol.Versioned;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * Tellers and an auditor on a running cluster, each with its own client.
 *
 * @param name begins the names of accounts and clients; no other run has it
 * @param cuts whether the links of all clients to one node are cut from time to time
 */
public record BalancesRun(List<String> addresses, String name, Duration time, boolean cuts) {
  public static final int TELLERS = 4;

  private static final String STORE = "default";
  private static final int ACCOUNTS = 20;
  private static final int REMEMBERED_KEYS = 10_000;
  private static final Duration WHOLE = Duration.ofMillis(600);
  private static final Duration CUT = Duration.ofMillis(400);
  private static final Duration TIMEOUT_WITH_CUTS = Duration.ofMillis(50);
  private static final int CONNECTS_MAX = 20;
  private static final Duration JUDGED_MAX = Duration.ofMinutes(1);

  /** One client, its links and its log. */
  private record Session(StoreClient client, HeldLinks links, SessionLog log) {}

  /**
   * Returns when the clients have ended, all copies have arrived or failed, and all violations of
   * the run are published. Throws {@link ExecutionException} with the failure of a client, also if
   * the store was rolled back.
   */
  public Books run() throws InterruptedException, ExecutionException {
    List<Session> sessions = new ArrayList<>();
    try {
      for (int i = 0; i <= TELLERS; i++) {
        sessions.add(session(i == TELLERS ? "auditor" : "teller-" + i));
      }
      work(sessions);
      for (Session session : sessions) {
        while (session.client().metrics().copiesInFlight() > 0) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
      }
      return books(sessions);
    } finally {
      sessions.forEach(session -> session.client().close());
    }
  }

  private Session session(String client) {
    HeldLinks links = new HeldLinks();
    ClientConfig config =
        ClientConfig.of(addresses, name + "." + client)
            .withSeenKeys(REMEMBERED_KEYS)
            .withStaleReads(REMEMBERED_KEYS)
            .withLinks(links);
    if (cuts) {
      config = config.withRequestTimeout(TIMEOUT_WITH_CUTS);
    }
    return new Session(connect(config), links, new SessionLog(config.clientId()));
  }

  /** Again, because the first requests of a process take longer than the timeout. */
  private static StoreClient connect(ClientConfig config) {
    for (int tried = 1; ; tried++) {
      try {
        return StoreClient.connect(config);
      } catch (StoreException e) {
        if (tried == CONNECTS_MAX) {
          throw e;
        }
      }
    }
  }

  private List<String> keys() {
    return IntStream.range(0, ACCOUNTS).mapToObj(i -> "balance_" + name + "." + i).toList();
  }

  private void work(List<Session> sessions) throws InterruptedException, ExecutionException {
    AtomicBoolean stopped = new AtomicBoolean();
    List<Future<?>> runs = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(sessions.size());
    try {
      for (int i = 0; i < sessions.size(); i++) {
        runs.add(threads.submit(client(i, sessions.get(i), stopped)));
      }
      letTimePass(sessions);
      stopped.set(true);
      for (Future<?> run : runs) {
        run.get();
      }
    } finally {
      stopped.set(true);
      threads.shutdownNow();
    }
  }

  private Callable<Void> client(int number, Session session, AtomicBoolean stopped) {
    Store store = session.client().store(STORE);
    return () -> {
      if (number == TELLERS) {
        new Auditor(keys(), store, session.log(), number).run(stopped::get);
      } else {
        new Teller(keys(), store, session.log(), number).run(stopped::get);
      }
      return null;
    };
  }

  /** Cuts the links to one node after the other. */
  private void letTimePass(List<Session> sessions) throws InterruptedException {
    if (!cuts) {
      TimeUnit.NANOSECONDS.sleep(time.toNanos());
      return;
    }
    List<Integer> nodes =
        sessions.get(0).client().cluster().nodes().stream().map(Node::id).toList();
    long end = System.nanoTime() + time.toNanos();
    for (int i = 0; System.nanoTime() - end < 0; i++) {
      int node = nodes.get(i % nodes.size());
      TimeUnit.NANOSECONDS.sleep(WHOLE.toNanos());
      sessions.forEach(session -> session.links().hold(node));
      TimeUnit.NANOSECONDS.sleep(CUT.toNanos());
      sessions.forEach(session -> session.links().release(node));
    }
  }

  private Books books(List<Session> sessions) {
    try (StoreClient reader = StoreClient.connect(ClientConfig.of(addresses, name + ".reader"))) {
      Store store = reader.store(STORE);
      Map<String, String> found = new HashMap<>();
      for (String key : keys()) {
        List<Versioned> versions = List.of();
        for (Node node : reader.cluster().nodes()) {
          versions = Siblings.merge(versions, store.versionsAt(node.id(), key));
        }
        Versioned chosen = Siblings.resolve(versions);
        if (chosen != null) {
          found.put(key, chosen.text());
        }
      }
      // What a read of the end has caused is later than all of the run.
      reader.awaitSafe(store.put("balances_" + name, "ended").acceptedAt(), JUDGED_MAX);
      long unstated =
          sessions.stream().mapToLong(each -> each.client().metrics().staleReadsUnstated()).sum();
      return new Books(sessions.stream().map(Session::log).toList(), found, unstated);
    }
  }
}
