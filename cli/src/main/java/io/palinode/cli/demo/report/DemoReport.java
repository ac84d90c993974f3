package io.palinode.cli.demo.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.util.List;
import java.util.Locale;

/** What the demo found; its components are the JSON output. */
public record DemoReport(String graph, long seed, List<ModeResult> modes) {

  /** Whether each mode that must be right is. */
  public boolean everyRequiredAnswerIsRight() {
    return modes.stream()
        .allMatch(
            r ->
                r.answerCorrect()
                    || !Mode.valueOf(r.mode().toUpperCase(Locale.ROOT)).mustBeRight());
  }

  public String table() {
    return ResultTable.render(modes);
  }

  public String json() throws JsonProcessingException {
    return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(this)
        + "\n";
  }
}
