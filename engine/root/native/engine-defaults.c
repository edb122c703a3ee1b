/*
 * The part of XS that the program can reach through syntax: replaces XS's own complete table (xsDefaults.c), as the
 * table does that the Moddable SDK's linker writes for this program with `strip` (device/manifest.json). The linker
 * removes code that is only reachable from rows left out here. Includes XS's own headers.
 */
#include "xsAll.h"

static void stripped(txMachine *the)
{
	mxUnknownError("this board's engine is without it");
}

static txSlot *stripped_instance(txMachine *the)
{
	stripped(the);
	return C_NULL;
}

static txSlot *stripped_function(txMachine *the, txID name)
{
	(void)name;
	return stripped_instance(the);
}

static void stripped_import(txMachine *the, txSlot *realm, txID id)
{
	(void)realm, (void)id;
	stripped(the);
}

/* Functions have no names and lengths of their own, since the program never reads them. */
const txDefaults gxDefaults = {
	.newAsyncInstance = fxNewAsyncInstance,
	.runAsync = fxRunAsync,
	.newGeneratorInstance = stripped_instance,
	.newGeneratorFunctionInstance = stripped_function,
	.newAsyncGeneratorInstance = stripped_instance,
	.newAsyncGeneratorFunctionInstance = stripped_function,
	.runForAwaitOf = stripped,
	.newArgumentsStrictInstance = fxNewArgumentsStrictInstance,
	.runEval = stripped,
	.runEvalEnvironment = stripped,
	.runProgramEnvironment = stripped,
	.runImport = stripped_import,
	.definePrivateProperty = fxDefinePrivateProperty,
	.getPrivateProperty = fxGetPrivateProperty,
	.setPrivateProperty = fxSetPrivateProperty,
	.captureErrorStack = fxCaptureErrorStack,
};

const txBehavior *gxBehaviors[XS_BEHAVIOR_COUNT] = {
	[XS_ORDINARY_BEHAVIOR] = &gxOrdinaryBehavior,
	[XS_ARGUMENTS_STRICT_BEHAVIOR] = &gxOrdinaryBehavior,
	[XS_ARRAY_BEHAVIOR] = &gxArrayBehavior,
	[XS_ENVIRONMENT_BEHAVIOR] = &gxEnvironmentBehavior,
	[XS_GLOBAL_BEHAVIOR] = &gxGlobalBehavior,
	[XS_MODULE_BEHAVIOR] = &gxModuleBehavior,
	[XS_STRING_BEHAVIOR] = &gxStringBehavior,
	[XS_TYPED_ARRAY_BEHAVIOR] = &gxTypedArrayBehavior,
};

#define TYPED_ARRAY(BYTES, SHIFT, KIND, COERCE, ACCESS, CONSTRUCTOR) \
	{ BYTES, SHIFT, fx##KIND##Getter, fx##KIND##Setter, COERCE, fx##KIND##Compare, _get##ACCESS, _set##ACCESS, CONSTRUCTOR }

/* Ordered by the identifiers of the built-ins. */
const txTypeDispatch gxTypeDispatches[mxTypeArrayCount] = {
	{ .size = 8, .shift = 3, .constructorID = _BigInt64Array },
	{ .size = 8, .shift = 3, .constructorID = _BigUint64Array },
	TYPED_ARRAY(4, 2, Float32, fxNumberCoerce, Float32, _Float32Array),
	TYPED_ARRAY(8, 3, Float64, fxNumberCoerce, Float64, _Float64Array),
	TYPED_ARRAY(1, 0, Int8, fxIntCoerce, Int8, _Int8Array),
	TYPED_ARRAY(2, 1, Int16, fxIntCoerce, Int16, _Int16Array),
	TYPED_ARRAY(4, 2, Int32, fxIntCoerce, Int32, _Int32Array),
	TYPED_ARRAY(1, 0, Uint8, fxUintCoerce, Uint8, _Uint8Array),
	TYPED_ARRAY(2, 1, Uint16, fxUintCoerce, Uint16, _Uint16Array),
	TYPED_ARRAY(4, 2, Uint32, fxUintCoerce, Uint32, _Uint32Array),
	{ .size = 1, .shift = 0, .constructorID = _Uint8ClampedArray },
};

/* No threads share memory with the program, and it uses no integers beyond the range of numbers. */
const txTypeAtomics gxTypeAtomics[mxTypeArrayCount] = { 0 };
const txTypeBigInt gxTypeBigInt = { 0 };

void __wrap_fxBuildAtomics(txMachine *the)
{
	(void)the;
}

void __wrap_fxBuildBigInt(txMachine *the)
{
	(void)the;
}
