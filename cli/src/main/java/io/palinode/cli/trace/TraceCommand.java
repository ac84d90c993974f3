package io.palinode.cli.trace;

import picocli.CommandLine.Command;

/** Traces that are not recorded from a cluster. */
@Command(
    name = "trace",
    mixinStandardHelpOptions = true,
    description = "Make a trace for 'palinode detect' from other data.",
    subcommands = FromHistoryCommand.class)
public final class TraceCommand {}
