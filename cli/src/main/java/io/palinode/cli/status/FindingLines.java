package io.palinode.cli.status;

import io.palinode.orchestrator.rest.Views.FindingView;
import io.palinode.terminal.Wrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The findings of {@code doctor}, one paragraph each; faults also at the end, with a count. */
final class FindingLines {
  private FindingLines() {}

  static String of(List<FindingView> findings) {
    List<String> lines = new ArrayList<>();
    findings.forEach(finding -> lines.add(line(finding)));
    long faults = findings.stream().filter(finding -> finding.level().equals("fault")).count();
    lines.add(faults == 0 ? "no faults" : faults == 1 ? "1 fault" : faults + " faults");
    return String.join(System.lineSeparator(), lines);
  }

  private static String line(FindingView finding) {
    String fix = finding.fix().isEmpty() ? "" : "; " + finding.fix();
    return Wrap.paragraph(
        "%-7s".formatted(finding.level().toUpperCase(Locale.ROOT)),
        "%s: %s%s".formatted(finding.part(), finding.what(), fix));
  }
}
