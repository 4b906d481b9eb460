// Runs an exported model and compares with what pegasimd predicted:
//
//	node check.mjs MODEL.onnx MODEL.liblinear DATA PREDICTED
//
// DATA is svmlight text or CSV with the label last, either compressed or not; PREDICTED is from predict -scores, or from predict
// for numbers. Labels must agree on every row, and scores but for rounding to float32, which is measured by the sum of
// |weight*value|: for that alone the model is there as liblinear has it, in plain text.

import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import * as ort from 'onnxruntime-node'

const [onnxFile, textFile, dataFile, predictedFile] = process.argv.slice(2)

function text(name) {
	const bytes = readFileSync(name)
	return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}

const lines = (name) => text(name).split('\n').filter((line) => line !== '')

function fail(...message) {
	console.error(`${onnxFile}:`, ...message)
	process.exit(1)
}

// Weights, a line for each feature, then perhaps one of biases.
const model = lines(textFile)
const start = model.indexOf('w') + 1
const header = Object.fromEntries(model.slice(0, start).map((line) => [line.split(' ')[0], line.split(' ').slice(1)]))
const features = Number(header.nr_feature)
const weights = model.slice(start).map((line) => line.trim().split(' ').map(Number))
const vectors = weights[0].length
const magnitude = (row, k) => {
	let sum = weights.length > features ? Math.abs(weights[features][k]) : 0
	for (let j = 0; j < features; j++) sum += Math.abs(row[j] * weights[j][k])
	return sum
}

let data = lines(dataFile).map((line) => {
	const row = new Float32Array(features)
	if (!/\.csv(\.gz)?$/.test(dataFile)) {
		for (const pair of line.split(' ').slice(1)) {
			const [index, value] = pair.split(':')
			if (Number(index) <= features && value !== undefined) row[Number(index) - 1] = Number(value)
		}
		return row
	}
	const cells = line.split(',')
	if (cells.slice(0, -1).some((cell) => isNaN(Number(cell)))) return null // the header
	for (let j = 0; j < features; j++) row[j] = Number(cells[j])
	return row
})
data = data.filter((row) => row !== null)
const x = new Float32Array(data.length * features)
data.forEach((row, i) => x.set(row, i * features))

let predicted = lines(predictedFile).map((line) => line.split('\t'))
const regression = predicted[0].length === 1
if (!regression) predicted = predicted.slice(1)
if (predicted.length !== data.length) fail(`${predicted.length} predictions for ${data.length} rows`)

const session = await ort.InferenceSession.create(onnxFile)
const result = await session.run({ features: new ort.Tensor('float32', x, [data.length, features]) })
const classes = regression ? 1 : result.label === undefined ? fail('no label') : vectors === 1 ? 2 : vectors
const kind = regression ? 'prediction' : result.scores ? 'scores' : 'probabilities'
const scores = result[kind]
if (scores.dims[0] !== data.length || scores.dims[1] !== classes) fail(`${kind} have the dimensions ${scores.dims}`)

const logistic = (z) => 1 / (1 + Math.exp(-z))
const unit = 2 ** -24
let largest = 0 // error, as a share of what is allowed
for (let i = 0; i < data.length; i++) {
	const row = predicted[i]
	if (!regression && String(result.label.data[i]) !== row[0]) fail(`row ${i}: label ${result.label.data[i]}, pegasimd has ${row[0]}`)
	const own = regression ? [Number(row[0])] : row.slice(1).map(Number)
	let want = regression || vectors > 1 ? own : [-own[0], own[0]]
	let allowed = want.map((_, k) => 32 * unit * magnitude(data[i], vectors === 1 ? 0 : k))
	if (kind === 'probabilities') {
		const sum = vectors > 1 ? want.reduce((s, z) => s + logistic(z), 0) : 1
		const error = allowed.reduce((s, a) => s + a / 4 + 8 * unit, 0) / sum // the logistic function's slope is 1/4 at most
		want = want.map((z) => logistic(z) / sum)
		allowed = want.map(() => error)
	}
	want.forEach((w, k) => {
		const have = scores.data[i * classes + k]
		const share = have === w ? 0 : Math.abs(have - w) / allowed[k]
		if (!(share <= 1)) fail(`row ${i}, column ${k}: ${have}, pegasimd has ${w}, allowed is ${allowed[k]}`)
		largest = Math.max(largest, share)
	})
}
console.log(`${onnxFile.split('/').pop()}: ${data.length} rows agree, ${classes} columns of ${kind}, largest error ${(100 * largest).toFixed(0)} % of what is allowed`)
