package io.palinode.cli.describe;

import picocli.CommandLine.Command;

/** All that is known of one thing, on one screen. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description = "Show all that is known of one violation, rollback, node, snapshot or predicate.",
    subcommands = {
      DescribeViolationCommand.class,
      DescribeRollbackCommand.class,
      DescribeNodeCommand.class,
      DescribeSnapshotCommand.class,
      DescribePredicateCommand.class
    },
    footer = {
      "",
      "Examples:  palinode describe violation 0123456789",
      "           palinode describe node 1"
    })
public final class DescribeCommand {}
