/**
 * The command line. {@link org.sordino.cli.Main} holds the list of commands; each command is a
 * class of its own that reads options, asks the core and prints. {@link org.sordino.cli.HtmlPage}
 * writes the pages with figures.
 */
@NullMarked
package org.sordino.cli;

import org.jspecify.annotations.NullMarked;
