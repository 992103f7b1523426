"""Cases with sizes that fit no vector, for the tests of the peers; one list for all libraries."""

SIZES = "1,7,17,1000,3x5x7"
PASSES = "pass=forward,backward"
KERNEL_PASSES = "pass=forward,backward,backward_data,backward_weights"

LINES = [
    "nop",
    f"relu {PASSES} n={SIZES} range=-3:3",
    f"tanh {PASSES} n={SIZES} range=-100:100,-3:3",
    f"sigmoid {PASSES} n={SIZES} range=-80:80,-3:3",
    *(f"{op} {PASSES} n={SIZES} range=-9:9" for op in ("relu6", "silu", "softplus")),
    f"leaky_relu {PASSES} alpha=0.01 n={SIZES} range=-3:3",
    f"elu {PASSES} alpha=1 n={SIZES} range=-3:3",
    f"gelu {PASSES} form=tanh,erf n={SIZES} range=-3:3,-15:15,-100:100",
    *(
        f"{op} pass=forward n={SIZES} range=-3:3"
        for op in ("abs", "neg", "square", "exp", "sin", "cos", "sign")
    ),
    *(
        f"{op} pass=forward n={SIZES} range=0.1:9"
        for op in ("sqrt", "recip", "log", "log2", "log10")
    ),
    f"pow pass=forward e=1.5 n={SIZES} range=0.1:3",
    f"clip pass=forward lo=-1 hi=2 n={SIZES} range=-3:3",
    *(f"{op} n={SIZES}" for op in ("add", "sub", "mul", "div", "maximum", "minimum", "fma")),
    "add n=3x5x7 b=7,5x7,1x5x1,3x1x7",
    f"axpy alpha=0.3 n={SIZES}",
    "fma n=3x5x7 a=5x1,7 b=1,3x1x7 c=5x7",
    "axpy alpha=0.3 n=3x5x7 x=7,5x1,1",
    f"scale alpha=0.3 n={SIZES}",
    f"compare cmp=eq,ne,lt,le,gt,ge n={SIZES}",
    f"where n={SIZES}",
    *(
        f"{op} n=1x3x5,7x17x3 axis=all,0,1,2 range=-1:1"
        for op in "sum mean max min argmax argmin norm_l1 norm_l2 norm_linf variance".split()
    ),
    "mean pass=backward n=7x17x3 axis=all,0,1,2 range=-1:1",
    "dot n=1,7,1000 range=-1:1",
    f"softmax {PASSES} n=3x5x17 axis=0,1,2 range=-3:3",
    f"log_softmax {PASSES} n=3x5x17 axis=0,1,2 range=-3:3",
    "matmul m=1,5,33 n=1,17,64 k=1,31 trans=nn,nt,tn,tt",
    "matmul m=5 n=17 k=31 trans=nn,nt batch=1,3 bias=0,1 act=none,relu,tanh,sigmoid,gelu",
    "matvec m=1,33 n=1,17 trans=n,t",
    f"dense {KERNEL_PASSES} in=1x7,17x33 out=1,16 bias=0,1 w=oi,io",
    f"conv1d {KERNEL_PASSES} in=2x6x17 out=4 k=1,3 s=1,2 p=0,1 bias=1",
    f"conv2d {KERNEL_PASSES} in=2x6x9x10 out=6 k=1,3 s=1,2 p=1 bias=0,1 groups=1,3",
    f"conv2d {KERNEL_PASSES} in=1x3x12x11 out=5 k=3 s=1 p=2 bias=1 d=2",
    f"conv2d {PASSES} in=1x1x9x7 out=13 k=3,5 s=1 p=2 bias=1 reduce=mean",
    f"conv3d {KERNEL_PASSES} in=1x3x4x5x6 out=4 k=3 s=1 p=1 bias=1",
    f"conv2d_transpose {PASSES} in=2x3x5x6 out=4 k=3 s=2 p=1 bias=1 op=0,1",
    f"conv2d_transpose {PASSES} in=2x6x5x6 out=4 k=3 s=2 p=1 bias=1 d=2 groups=2",
    f"conv1d_transpose {PASSES} in=2x6x5 out=4 k=3 s=2 p=1 bias=1 d=2 groups=2",
    f"conv3d_transpose {PASSES} in=1x2x3x4x5 out=4 k=3 s=2 p=1 bias=1 op=1 groups=2",
    "transpose n=1x7,33x17",
    "permute n=3x5x7 perm=021,102,210",
    "concat a=3x5 b=3x7 axis=1",
    "pad n=3x5x7 axis=all,0,1,2,image before=2 after=0,1 value=0,-1.5",
    f"maxpool2d {PASSES} in=2x3x9x10 k=2,3 s=2 p=0,1",
    f"avgpool2d {PASSES} in=2x3x9x10 k=2,3 s=2 p=0,1",
    f"maxpool1d {PASSES} in=2x3x10 k=2,3 s=2 p=0,1",
    f"avgpool1d {PASSES} in=2x3x10 k=2,3 s=2 p=0,1",
    f"maxpool3d {PASSES} in=2x3x5x6x7 k=2,3 s=2 p=0,1",
    f"avgpool3d {PASSES} in=2x3x5x6x7 k=2,3 s=2 p=0,1",
    f"adaptive_avgpool2d {PASSES} in=2x3x9x10 out=1x1,3x4,7x7",
    f"adaptive_maxpool2d {PASSES} in=2x3x9x10 out=1x1,3x4,7x7",
    "batchnorm pass=forward in=2x3x5x7 mode=train,eval",
    "batchnorm pass=backward in=2x3x5x7 mode=train,eval",
    f"batchnorm {PASSES} in=2x3x35,2x3x5x2x3 mode=train",
    f"groupnorm {PASSES} in=2x6x35,2x6x5x2x3 groups=3",
    f"layernorm {PASSES} n=3x5x7 last=1,2",
    f"groupnorm {PASSES} in=2x6x5x7 groups=1,3,6",
    f"rmsnorm {PASSES} n=5x17",
    f"dropout {PASSES} n=1000,33x65 rate=0.3",
    f"lstm_pointwise {PASSES} n=3x17",
    f"gru_pointwise {PASSES} n=3x17",
    "optimizer_update rule=sgd,momentum,nesterov,adam,adamw,rmsprop,adagrad n=1,3x17",
    "loss kind=mse,huber,bce n=1,3x17",
    "loss kind=cross_entropy n=1x2,5x17",
    "load_batch n=17x5,9x2x3 batch=1,4",
    "dqn_train updates=1,32 calls=1,7",
    "dqn_update batch=1,7,64 calls=1,3",
    "dqn2048 updates=1,32 episodes=1,3",
    *(f"{op} {PASSES} in=1x5x7,3x1x4 hidden=1,17" for op in ("lstm", "gru", "rnn")),
    f"embedding {PASSES} n=17,2x5 vocab=1,11 dim=3,16",
]


def of(ops):
    """The lines of these ops."""
    return [line for line in LINES if line.split()[0] in ops]
