package io.palinode.examples.graph.net;

import io.palinode.voldemort.client.link.LinkModel;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What lies between the clients and the nodes of a run. Node i stands in region i, of 8 at most; a
 * client stands in a region too, and is near to that node.
 *
 * <p>{@code regional} (one way): 0.05 ms to the near node, 0.4 to 0.6 ms to others. {@code
 * continental}: as global, with a quarter of its base (10 to 38 ms). {@code global} (one way): 0.3
 * ms to the near node; to others this base in ms, plus a log-normal jitter with median 1 ms and 10
 * ms at most:
 *
 * <pre>
 * from\to         0    1    2    3    4    5    6    7
 * 0 Virginia      –   45  110   75   95   60  130   40
 * 1 Frankfurt    41    –  125  105  115   55   90   50
 * 2 Tokyo       104  118    –  150   40   85   70  120
 * 3 Sao Paulo    70  112  144    –  140  110  149   80
 * 4 Sydney      101  122   44  150    –   95   65  128
 * 5 Mumbai       66   50   92  117   88    –   45   75
 * 6 Singapore   122   84   76  143   60   40    –  135
 * 7 Montreal     43   56  113   86  134   80  128    –
 * </pre>
 */
public final class Network implements AutoCloseable {
  private final @Nullable Geography geography;
  private final @Nullable LinkTimer timer;
  private final Random seeds;

  private Network(@Nullable Geography geography, @Nullable LinkTimer timer, long seed) {
    this.geography = geography;
    this.timer = timer;
    this.seeds = new Random(seed);
  }

  /** No network: messages arrive at once. */
  public static Network none() {
    return new Network(null, null, 0);
  }

  public static Network regional(long seed) {
    return started(Geography.REGIONAL, seed);
  }

  public static Network continental(long seed) {
    return started(Geography.CONTINENTAL, seed);
  }

  public static Network global(long seed) {
    return started(Geography.GLOBAL, seed);
  }

  /** The links of one more client; their delays follow from the seed and the order of calls. */
  public synchronized LinkModel clientIn(int region) {
    if (geography == null || timer == null) {
      return LinkModel.DIRECT;
    }
    return new DelayedLinks(geography, region, seeds.nextLong(), System::nanoTime, timer);
  }

  /** Drops what is in flight. Close the clients first. */
  @Override
  public void close() {
    if (timer != null) {
      timer.close();
    }
  }

  private static Network started(Geography geography, long seed) {
    LinkTimer timer = new LinkTimer();
    timer.start();
    return new Network(geography, timer, seed);
  }
}
