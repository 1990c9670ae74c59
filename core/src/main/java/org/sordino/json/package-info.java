/** JSON as maps, lists, strings, numbers and booleans; used by every file format of the project. */
@NullMarked
package org.sordino.json;

import org.jspecify.annotations.NullMarked;
