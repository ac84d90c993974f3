package io.palinode.demo.report;

import io.palinode.terminal.Output;
import java.util.List;
import java.util.Locale;

/** What the demo found; its components are the JSON output. */
public record DemoReport(String graph, long seed, List<ModeResult> modes) implements Output.Report {

  /** Whether each mode that must be right is. */
  public boolean everyRequiredAnswerIsRight() {
    return modes.stream()
        .allMatch(
            r ->
                r.answer().isRight()
                    || !Mode.valueOf(r.mode().toUpperCase(Locale.ROOT)).mustBeRight());
  }

  @Override
  public String table() {
    return ResultTable.render(modes);
  }
}
