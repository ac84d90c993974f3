package io.palinode.cli.witness;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessCheck.Breach;
import io.palinode.hvc.Hlc;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Checks a witness without a cluster. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = "Check a violation again, from nothing but its witness.",
    footer = {
      "",
      "A witness is what 'palinode get violations ID -o json' writes. Checked is that every",
      "term holds on the values under the binding, that the intervals are pairwise concurrent",
      "under the epsilon and uncertainty in it, and that grade, first, violate and id are",
      "theirs. A digest of all shows any other change, such as of one clock entry. It guards",
      "against accidents, not against intent: anyone can compute a new digest.",
      "",
      "Exit status: 0 it holds; 1 it does not, one line a rule; 2 the file is no witness.",
      "",
      "Example:  palinode get violations ID -o json | palinode verify -"
    })
public final class VerifyCommand implements Callable<Integer> {
  private static final int HOLDS = 0;
  private static final int DOES_NOT_HOLD = 1;

  private final InputStream in;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(paramLabel = "WITNESS.json", description = "The witness; - reads standard input.")
  private String file = "-";

  public VerifyCommand() {
    this(System.in);
  }

  VerifyCommand(InputStream in) {
    this.in = in;
  }

  @Override
  public Integer call() throws FileSystemException {
    PortableWitness witness = WitnessFile.read(file, in);
    List<Breach> breaches = WitnessCheck.check(witness);
    if (breaches.isEmpty()) {
      spec.commandLine().getOut().println("holds: " + describe(witness));
      return HOLDS;
    }
    for (Breach breach : breaches) {
      spec.commandLine().getErr().println("palinode: " + file + " does not hold: " + breach);
    }
    return DOES_NOT_HOLD;
  }

  private static String describe(PortableWitness witness) {
    String binding = witness.subject().binding();
    return "%s version %d%s, clause %d, intervals %d, grade %s, violated at %s"
        .formatted(
            witness.subject().predicate(),
            witness.subject().version(),
            binding.isEmpty() ? "" : " with " + binding,
            witness.subject().clause(),
            witness.intervals().size(),
            witness.finding().grade().name().toLowerCase(Locale.ROOT),
            Hlc.format(witness.finding().violate()));
  }
}
