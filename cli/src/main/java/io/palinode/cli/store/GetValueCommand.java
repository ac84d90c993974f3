package io.palinode.cli.store;

import io.palinode.cli.options.TimeText;
import io.palinode.hvc.PointInTime;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.client.PastStore;
import io.palinode.voldemort.client.Store;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.NodeException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads one value. */
@Command(
    name = "get-value",
    mixinStandardHelpOptions = true,
    description = {
      "Read the present value of a key, or an earlier one. Exit status 1 if the key is absent.",
      "With --at, the value that the nodes had at that time, even if a rollback discarded it"
          + " later."
    },
    footer = {
      "",
      "Example:  palinode get-value cs_1_2_1",
      "          palinode get-value cs_1_2_1 --at -30s"
    })
public final class GetValueCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "KEY")
  private String key = "";

  @Option(
      names = "--at",
      paramLabel = "TIME",
      converter = TimeText.class,
      description = "The time of the value: " + TimeText.FORMS + ".")
  private @Nullable Long at;

  @Mixin private StoreAccess access = new StoreAccess();
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Found found = access.use(this::read);
    if (found.value() == null) {
      spec.commandLine()
          .getErr()
          .println(
              "palinode: no value for key '%s'%s"
                  .formatted(
                      key, found.at() == null ? "" : " at " + PointInTime.format(found.at())));
      return 1;
    }
    spec.commandLine().getOut().println(found.value());
    return 0;
  }

  private Found read(Store store) {
    if (at == null) {
      return new Found(null, store.get(key));
    }
    long then = StoreAccess.readable(store, at, spec.commandLine().getErr());
    try {
      return new Found(then, store.past().getAt(key, then));
    } catch (InsufficientNodesException e) {
      requireInReach(store.past(), then, e.failures().keySet());
      throw e;
    }
  }

  /** Throws {@link Refusal} if {@code hlc} is before the reach of one of the nodes. */
  private static void requireInReach(PastStore past, long hlc, Set<Integer> nodes) {
    Map<Integer, Long> late = new TreeMap<>();
    for (int node : nodes) {
      try {
        long from = past.reachAt(node).from();
        if (from > hlc) {
          late.put(node, from);
        }
      } catch (NodeException unanswered) {
        // Its failure to read is reported.
      }
    }
    if (!late.isEmpty()) {
      throw new Refusal(
          "no value can be read at %s: the log reaches back to %s; name a later time, or read a snapshot ('palinode snapshot list')"
              .formatted(
                  PointInTime.format(hlc),
                  late.entrySet().stream()
                      .map(
                          entry ->
                              "%s on node %d"
                                  .formatted(PointInTime.format(entry.getValue()), entry.getKey()))
                      .collect(Collectors.joining(", "))));
    }
  }

  /** A value and its HLC; null: now, or absent. */
  private record Found(@Nullable Long at, @Nullable String value) {}
}
