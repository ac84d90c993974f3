package io.palinode.cli.witness;

import io.palinode.detection.witness.PortableWitness;
import io.palinode.detection.witness.WitnessCheck;
import io.palinode.detection.witness.WitnessCheck.Breach;
import io.palinode.detection.witness.WitnessMeaning;
import io.palinode.hvc.PointInTime;
import java.io.InputStream;
import java.io.PrintWriter;
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
    description = "Check a violation again, only from its witness file.",
    footer = {
      "",
      "'palinode get violations ID -o json' writes a witness file. The command checks that every"
          + " term holds for its value and the binding, that the intervals are pairwise concurrent"
          + " under the file's epsilon and uncertainty, and that grade, first, violate and id follow"
          + " from them. A digest of the file shows any other change, such as in one clock entry. The"
          + " digest shows accidents, not forgery: anyone can compute a new one.",
      "",
      "Exit status: 0 the violation holds; 1 it does not, with one line for each broken rule; 2"
          + " the file is no witness file.",
      "",
      "Example:  palinode get violations ID -o json | palinode verify -"
    })
public final class VerifyCommand implements Callable<Integer> {
  private static final int HOLDS = 0;
  private static final int DOES_NOT_HOLD = 1;

  private final InputStream in;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "WITNESS.json",
      description = "The witness file; - reads standard input.")
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
      String meaning = WitnessMeaning.of(witness);
      PrintWriter out = spec.commandLine().getOut();
      out.println("holds: " + describe(witness));
      out.println(meaning);
      String written = witness.finding().meaning();
      if (written != null && !written.equals(meaning)) {
        out.println("the file's sentence differs, as of another release: '" + written + "'");
      }
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
            PointInTime.format(witness.finding().violate()));
  }
}
