package io.palinode.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A command of {@code palinode} in a thread of this process, which an interrupt ends. */
final class RunningCommand {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Thread thread;

  RunningCommand(String... command) {
    thread = new Thread(() -> run(command));
    thread.start();
  }

  private void run(String... command) {
    Main.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(command);
  }

  String out() {
    return out.toString();
  }

  String err() {
    return err.toString();
  }

  /** Returns once the command has closed what it had opened. */
  void end() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }
}
