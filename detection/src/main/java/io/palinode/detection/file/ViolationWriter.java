package io.palinode.detection.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import io.palinode.detection.Candidate;
import io.palinode.detection.Witness;
import io.palinode.hvc.Hlc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Locale;

/** Writes violations, one JSON object a line. */
public final class ViolationWriter {
  private final JsonGenerator json;
  private long count;

  public ViolationWriter(Writer out) throws IOException {
    json =
        JsonFactory.builder()
            .build()
            .createGenerator(out)
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .setPrettyPrinter(new MinimalPrettyPrinter("\n"));
  }

  /** How many were written. */
  public long count() {
    return count;
  }

  /**
   * {@code binding} is left out when it is empty; {@code meaning} is a sentence that explains the
   * grade.
   */
  public void write(String binding, Witness violation, String meaning) {
    try {
      writeObject(binding, violation, meaning);
      count++;
    } catch (IOException e) {
      throw new UncheckedIOException("violations cannot be written", e);
    }
  }

  private void writeObject(String binding, Witness violation, String meaning) throws IOException {
    json.writeStartObject();
    if (!binding.isEmpty()) {
      json.writeStringField("binding", binding);
    }
    json.writeNumberField("clause", violation.clause());
    json.writeArrayFieldStart("witnesses");
    for (Candidate candidate : violation.candidates()) {
      json.writeStartObject();
      json.writeNumberField("term", candidate.term());
      json.writeNumberField("node", candidate.id().node());
      json.writeNumberField("seq", candidate.id().sequence());
      if (!candidate.member().isEmpty()) {
        json.writeStringField("member", candidate.member());
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeStringField("grade", violation.grade().name().toLowerCase(Locale.ROOT));
    json.writeStringField("first", Hlc.format(violation.first()));
    json.writeStringField("violate", Hlc.format(violation.violate()));
    json.writeStringField("meaning", meaning);
    json.writeEndObject();
  }

  /** Ends the last line. */
  public void finish() throws IOException {
    if (count > 0) {
      json.writeRaw('\n');
    }
    json.flush();
  }
}
