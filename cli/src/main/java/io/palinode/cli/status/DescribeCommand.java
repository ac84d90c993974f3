package io.palinode.cli.status;

import picocli.CommandLine.Command;

/** All that is known of one thing, on one screen. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Show all that is known of a violation.",
    subcommands = DescribeViolationCommand.class)
public final class DescribeCommand {}
