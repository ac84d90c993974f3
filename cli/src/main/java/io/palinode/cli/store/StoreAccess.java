package io.palinode.cli.store;

import io.palinode.hvc.Hlc;
import io.palinode.hvc.PointInTime;
import io.palinode.terminal.Credentials;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.ClientConfig;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.StoreClient;
import io.palinode.voldemort.client.session.PausedException;
import io.palinode.voldemort.client.session.StoreException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Where the store nodes are; a picocli mixin. */
public final class StoreAccess {
  private static final String PROGRAM = "palinode-cli";

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Longer than most rollbacks pause the nodes. */
  private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

  @Option(
      names = "--bootstrap",
      split = ",",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:PALINODE_BOOTSTRAP:-127.0.0.1:6666}",
      description =
          "Addresses of store nodes; one is enough. tls://HOST:PORT for nodes with TLS (default:"
              + " $PALINODE_BOOTSTRAP, else those of the context, else 127.0.0.1:6666).")
  private List<String> bootstrap = List.of();

  @Option(
      names = "--store",
      defaultValue = "default",
      paramLabel = "NAME",
      description = "The store (default: ${DEFAULT-VALUE}).")
  private String storeName = "";

  /** Throws {@link Outage} if a rollback pauses the nodes for longer than 5 s. */
  public <T> T use(Function<Store, T> action) {
    return use(config(), action);
  }

  /**
   * The HLC that can be read instead of {@code hlc} if the window-logs are compacted there; reports
   * it to {@code err}. {@code hlc} itself if no node answers.
   */
  public long readable(long hlc, PrintWriter err) {
    try {
      return useAnyStore(store -> readable(store, hlc, err));
    } catch (Refusal unanswered) {
      return hlc;
    }
  }

  /** Like {@link #readable(long, PrintWriter)}, over the connections of an open store. */
  static long readable(Store store, long hlc, PrintWriter err) {
    long floor;
    try {
      floor = store.past().floor(hlc);
    } catch (StoreException unanswered) {
      return hlc;
    }
    if (floor != hlc) {
      err.println(
          "palinode: the window-log keeps steps at that time: read as of %s (%s before)"
              .formatted(
                  PointInTime.format(floor),
                  Duration.of(Hlc.micros(hlc) - Hlc.micros(floor), ChronoUnit.MICROS)));
    }
    return floor;
  }

  /** Like {@link #use(Function)}, with more time for an answer than a request usually needs. */
  public <T> T usePatiently(Function<Store, T> action) {
    return use(config().withRequestTimeout(PATIENCE).withPauseMax(PAUSE_MAX), action);
  }

  /** Like {@link #use(Function)}, whatever stores there are. */
  public <T> T useClient(Function<StoreClient, T> action) {
    return useClient(config(), action);
  }

  /** Like {@link #use(Function)}, for what is the same whatever the store is. */
  public <T> T useAnyStore(Function<Store, T> action) {
    return useClient(client -> action.apply(client.store(client.stores().get(0).name())));
  }

  private <T> T use(ClientConfig config, Function<Store, T> action) {
    return useClient(config, client -> action.apply(store(client)));
  }

  private <T> T useClient(ClientConfig config, Function<StoreClient, T> action) {
    try (StoreClient client = connect(config)) {
      return action.apply(client);
    } catch (PausedException e) {
      throw paused(e);
    } catch (StoreException e) {
      throw new Refusal("nodes " + String.join(",", bootstrap) + ": " + e.getMessage(), e);
    }
  }

  /** The client knows which rollback pauses the nodes, but not whether it is halted. */
  static Outage paused(PausedException e) {
    return new Outage(
        ("rollback %1$d has paused the nodes for more than %2$d s, so it may be halted: see"
                + " 'palinode rollback status %1$d'; a halted rollback waits for 'palinode rollback"
                + " retry %1$d' or 'palinode rollback abandon %1$d'")
            .formatted(e.epoch(), PAUSE_MAX.toSeconds()),
        e);
  }

  private static StoreClient connect(ClientConfig config) {
    try {
      return StoreClient.connect(config);
    } catch (PausedException e) {
      throw paused(e);
    } catch (StoreException e) {
      throw new Refusal(
          e.getMessage()
              + ": start a cluster with 'palinode up', or name its nodes with --bootstrap",
          e);
    }
  }

  private ClientConfig config() {
    return Refusal.valid("--bootstrap", () -> config(bootstrap, PROGRAM).withPauseMax(PAUSE_MAX));
  }

  /**
   * With the credentials of this process if the nodes have TLS. Throws {@link
   * IllegalArgumentException} for what is no address.
   */
  public static ClientConfig config(List<String> bootstrap, String program) {
    ClientConfig config = ClientConfig.of(bootstrap, program);
    if (!config.usesTls()) {
      return config;
    }
    Credentials own = Credentials.forStores();
    return config.withTls(own.tls()).withClientId(own.clientId(program));
  }

  private Store store(StoreClient client) {
    return Refusal.valid("--store", () -> client.store(storeName));
  }
}
