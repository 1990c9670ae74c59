// Draws every figure of the page from its JSON data, and redraws it when the width, the color scheme
// or the medium changes.
(function () {
  'use strict';

  // Based on the color-blind safe palette of Okabe and Ito, lightened or darkened for contrast.
  const LIGHT = ['#0072b2', '#d55e00', '#007a5a', '#8a5fbf', '#a66a00', '#b8467f', '#3d4a57'];
  const DARK = ['#56b4e9', '#ff8a3d', '#2fc79a', '#b99bf0', '#e6b422', '#f08cc0', '#b8c2cc'];
  const WIDE = 720; // from this width on, lines have labels at their ends; below it, there is a legend
  const LETTER = 6.6; // average width of a letter in a label, in pixels
  const LABEL_HEIGHT = 17;
  const darkScheme = window.matchMedia('(prefers-color-scheme: dark)');
  let printing = false;

  const BREADTH = { GUARANTEE: 3.5, BOUND: 2, UNPROVEN: 2, MEASURED: 2.5, MEASURED_TOO: 2.5, REFERENCE: 1.2, MARKS: 0 };
  const DASHES = { GUARANTEE: 'solid', BOUND: 'solid', UNPROVEN: [7, 5], MEASURED: 'solid', MEASURED_TOO: [7, 7], REFERENCE: [2, 3], MARKS: 'solid' };

  function number(value) {
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e7 || size < 1e-4) return value.toExponential(2).replace('.00e', 'e').replace('e+', 'e');
    return Number(value.toPrecision(5)).toLocaleString('en', { maximumSignificantDigits: 5 });
  }

  // The largest of 1, 2 or 5 times a power of ten below a value, so that a logarithmic axis does not
  // start up to a decade below its data.
  function stepBelow(value) {
    const power = Math.pow(10, Math.floor(Math.log10(value)));
    return [5, 2, 1].map(factor => factor * power).find(step => step <= value * 1.0001);
  }

  function axis(data, ink, faint, rule, horizontal) {
    return {
      type: data.logarithmic ? 'log' : 'value',
      name: data.name,
      nameLocation: horizontal ? 'middle' : 'end',
      nameGap: horizontal ? 30 : 12,
      nameTextStyle: { color: ink, fontSize: 13, align: horizontal ? 'center' : 'left', padding: [0, 0, 0, horizontal ? 0 : -20] },
      min: !data.logarithmic ? undefined : horizontal ? 'dataMin' : range => stepBelow(range.min),
      max: horizontal ? 'dataMax' : undefined,
      scale: !horizontal, // an axis for values between 0.6 and 0.7 does not start at 0
      axisLine: { show: horizontal, lineStyle: { color: faint } },
      axisTick: { show: horizontal },
      axisLabel: { color: faint, fontSize: 12, formatter: number, hideOverlap: true, showMinLabel: horizontal || !data.logarithmic },
      splitLine: { show: !horizontal, lineStyle: { color: rule } },
      minorSplitLine: { show: false }
    };
  }

  function series(line, colors, paper, labeled) {
    const color = line.look === 'REFERENCE' ? colors[6] : colors[line.color];
    const marks = line.look === 'MARKS';
    return {
      type: 'line',
      name: line.name,
      data: line.points,
      z: { REFERENCE: 2, BOUND: 3, MEASURED: 3, GUARANTEE: 4, UNPROVEN: 5, MEASURED_TOO: 5, MARKS: 6 }[line.look],
      color: color,
      showSymbol: marks,
      symbol: marks ? 'diamond' : 'none',
      symbolSize: 13,
      itemStyle: marks ? { color: color, borderColor: paper, borderWidth: 1.5 } : { color: color },
      lineStyle: { width: BREADTH[line.look], type: DASHES[line.look], color: color },
      label: marks ? { show: true, position: 'top', align: 'right', offset: [8, 2], color: color, textBorderColor: paper, textBorderWidth: 3, fontSize: 12, formatter: p => number(p.value[1]) } : undefined,
      endLabel: { show: labeled && !marks, formatter: line.name, color: color, fontSize: 12.5, distance: 8, fontWeight: line.look === 'GUARANTEE' ? 'bold' : 'normal' },
      emphasis: { disabled: true }
    };
  }

  // ECharts does not separate overlapping labels at the ends of lines. This function moves them apart.
  function separateEndLabels(chart, figure) {
    const labels = figure.lines
      .map((line, index) => ({ index: index, line: line, end: line.points[line.points.length - 1] }))
      .filter(label => label.line.look !== 'MARKS' && label.end)
      .map(label => ({ index: label.index, y: chart.convertToPixel({ seriesIndex: label.index }, label.end)[1] }))
      .sort((a, b) => a.y - b.y);
    const moved = labels.map(label => label.y);
    for (let round = 0; round < 50; round++) {
      for (let i = 1; i < moved.length; i++) {
        const overlap = LABEL_HEIGHT - (moved[i] - moved[i - 1]);
        if (overlap > 0) {
          moved[i - 1] -= overlap / 2;
          moved[i] += overlap / 2;
        }
      }
    }
    const series = figure.lines.map(() => ({}));
    labels.forEach((label, i) => { series[label.index] = { endLabel: { offset: [0, moved[i] - label.y] } }; });
    chart.setOption({ series: series });
  }

  function legendRows(lines, width) {
    let rows = 1;
    let used = 0;
    for (const line of lines) {
      const item = 46 + LETTER * line.name.length;
      if (used > 0 && used + item > width) {
        rows++;
        used = 0;
      }
      used += item;
    }
    return rows;
  }

  function draw(chart, figure, element) {
    const style = window.getComputedStyle(document.documentElement);
    const color = name => style.getPropertyValue(name).trim();
    const light = printing || !darkScheme.matches;
    const width = printing ? 640 : element.clientWidth;
    const labeled = width >= WIDE;
    const rows = labeled ? 0 : legendRows(figure.lines, width);
    const longest = Math.max(...figure.lines.filter(line => line.look !== 'MARKS').map(line => line.name.length));
    const ink = light ? '#1c2024' : color('--ink');
    const faint = light ? '#5c656e' : color('--faint');
    const rule = light ? '#e3e6e9' : color('--rule');
    const paper = light ? '#ffffff' : color('--paper');
    element.style.height = (labeled ? 480 : 350) + rows * 24 + 'px';
    chart.resize({ width: width, height: (labeled ? 480 : 350) + rows * 24 });
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: window.getComputedStyle(document.body).fontFamily },
      grid: { left: 8, top: 36, right: labeled ? 24 + longest * LETTER : 28, bottom: 30 + rows * 24, containLabel: true },
      legend: labeled ? undefined : {
        bottom: 0,
        left: 0,
        itemWidth: 30,
        itemGap: 12,
        textStyle: { color: ink, fontSize: 12 },
        data: figure.lines.map(line => ({ name: line.name, itemStyle: { opacity: line.look === 'MARKS' ? 1 : 0 } }))
      },
      tooltip: {
        trigger: 'axis',
        confine: true,
        order: 'valueDesc',
        backgroundColor: paper,
        borderColor: faint,
        textStyle: { color: ink, fontSize: 12.5 },
        valueFormatter: number,
        axisPointer: { lineStyle: { color: faint }, label: { formatter: p => number(p.value) } }
      },
      xAxis: axis(figure.x, ink, faint, rule, true),
      yAxis: axis(figure.y, ink, faint, rule, false),
      series: figure.lines.map(line => series(line, light ? LIGHT : DARK, paper, labeled))
    }, true);
    if (labeled) separateEndLabels(chart, figure);
  }

  const redraw = [];
  document.querySelectorAll('.chart').forEach(element => {
    const figure = JSON.parse(element.nextElementSibling.textContent);
    element.replaceChildren();
    element.style.height = '480px';
    const chart = echarts.init(element, null, { renderer: 'svg' });
    redraw.push(() => draw(chart, figure, element));
  });

  function redrawAll() {
    redraw.forEach(f => f());
  }

  function print(now) {
    printing = now;
    if (now) document.querySelectorAll('details').forEach(d => { d.open = true; });
    redrawAll();
  }

  redrawAll();
  darkScheme.addEventListener('change', redrawAll);
  window.addEventListener('resize', redrawAll);
  window.addEventListener('beforeprint', () => print(true));
  window.addEventListener('afterprint', () => print(false));
})();
