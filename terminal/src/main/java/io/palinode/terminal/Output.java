package io.palinode.terminal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintWriter;
import java.util.function.Consumer;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** In which form a command prints its result; a picocli mixin. */
public final class Output {
  private enum Format {
    TABLE,
    WIDE,
    JSON
  }

  /** A result; its components are the JSON form. */
  public interface Report {
    /** For a person. */
    String table();

    default String json() throws JsonProcessingException {
      return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(this)
          + "\n";
    }
  }

  @Option(
      names = {"-o", "--output"},
      defaultValue = "table",
      paramLabel = "FORMAT",
      description =
          "table, wide (also exact times and further columns) or json; with json, standard output"
              + " has the JSON only.")
  private Format format = Format.TABLE;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command = CommandSpec.create();

  /** Whether JSON is asked for, not text. */
  public boolean isJson() {
    return format == Format.JSON;
  }

  /** Whether the table may be wider than a screen, with all that is known. */
  public boolean isWide() {
    return format == Format.WIDE;
  }

  public void print(Report report) throws JsonProcessingException {
    PrintWriter out = command.commandLine().getOut();
    out.print(isJson() ? report.json() : report.table());
    out.flush();
  }

  /** Prints {@code json}, or {@code text}, which ends with a newline. */
  public void print(JsonNode json, Supplier<String> text) {
    PrintWriter out = command.commandLine().getOut();
    out.print(isJson() ? json.toPrettyString() + "\n" : text.get());
    out.flush();
  }

  /** Prints a line of progress to standard error. */
  public void say(String line) {
    progress(command).accept(line);
  }

  /** Returns what prints lines of progress to the standard error of {@code command}. */
  public static Consumer<String> progress(CommandSpec command) {
    return line -> {
      PrintWriter err = command.commandLine().getErr();
      err.println(line);
      err.flush();
    };
  }
}
